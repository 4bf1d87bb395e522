//! Order and reach over plain indexes: topological order, cycles, what nothing uses. All linear, none recursive.

use petgraph::graph::DiGraph;
use std::collections::VecDeque;

/// Sorts `0..inputs.len()` so that every index comes after those it reads; apart from that, as near to the given order as a
/// depth-first walk keeps it. `inputs[i]` is what `i` reads; indexes outside are ignored.
///
/// # Errors
/// The cycles, as [`cycles`] gives them.
pub fn order(inputs: &[Vec<usize>]) -> Result<Vec<usize>, Vec<Vec<usize>>> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut state = vec![State::New; inputs.len()];
    let mut sorted = Vec::with_capacity(inputs.len());
    let mut stack: Vec<(usize, usize)> = Vec::new();
    for root in 0..inputs.len() {
        if state.get(root) != Some(&State::New) {
            continue;
        }
        stack.push((root, 0));
        while let Some((at, next)) = stack.pop() {
            if let Some(s) = state.get_mut(at) {
                *s = State::Open;
            }
            match inputs.get(at).and_then(|list| list.get(next)) {
                Some(&input) => {
                    stack.push((at, next + 1));
                    match state.get(input) {
                        Some(State::New) => stack.push((input, 0)),
                        Some(State::Open) => return Err(cycles(inputs)),
                        Some(State::Done) | None => {}
                    }
                }
                None => {
                    if let Some(s) = state.get_mut(at) {
                        *s = State::Done;
                    }
                    sorted.push(at);
                }
            }
        }
    }
    Ok(sorted)
}

/// One whole cycle for every knot of indexes that read each other, each starting at its smallest index and going from a
/// reader to what it reads; the cycles by their first index.
#[must_use]
pub fn cycles(inputs: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut graph: DiGraph<(), (), usize> = DiGraph::default();
    for _ in inputs {
        graph.add_node(());
    }
    for (at, list) in inputs.iter().enumerate() {
        for &input in list.iter().filter(|i| **i < inputs.len()) {
            graph.add_edge(at.into(), input.into(), ());
        }
    }
    let mut knot = vec![usize::MAX; inputs.len()];
    let mut found = Vec::new();
    // Kosaraju's walk keeps its own stack; Tarjan's in petgraph recurses, and a chain of 100,000 nodes would overflow it.
    for (number, component) in petgraph::algo::kosaraju_scc(&graph).into_iter().enumerate() {
        let Some(first) = component.iter().map(|n| n.index()).min() else { continue };
        for node in &component {
            if let Some(k) = knot.get_mut(node.index()) {
                *k = number;
            }
        }
        if component.len() > 1 || inputs.get(first).is_some_and(|list| list.contains(&first)) {
            found.push(round_trip(inputs, &knot, first));
        }
    }
    found.sort();
    found
}

/// The shortest way from `first` back to itself inside its knot.
fn round_trip(inputs: &[Vec<usize>], knot: &[usize], first: usize) -> Vec<usize> {
    let home = knot.get(first);
    let mut from: std::collections::HashMap<usize, usize> = std::collections::HashMap::new();
    let mut queue = VecDeque::from([first]);
    while let Some(at) = queue.pop_front() {
        for &input in inputs.get(at).into_iter().flatten() {
            if input == first {
                let mut path = vec![at];
                let mut here = at;
                while here != first
                    && let Some(&before) = from.get(&here)
                {
                    here = before;
                    path.push(here);
                }
                path.reverse();
                return path;
            }
            if knot.get(input) == home && !from.contains_key(&input) {
                from.insert(input, at);
                queue.push_back(input);
            }
        }
    }
    vec![first]
}

/// The indexes that no root reads, directly or through others, in order.
#[must_use]
pub fn unreached(inputs: &[Vec<usize>], roots: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let mut seen = vec![false; inputs.len()];
    let mut stack: Vec<usize> = roots.into_iter().collect();
    while let Some(at) = stack.pop() {
        if let Some(s) = seen.get_mut(at)
            && !*s
        {
            *s = true;
            stack.extend(inputs.get(at).into_iter().flatten());
        }
    }
    seen.iter().enumerate().filter(|(_, seen)| !**seen).map(|(at, _)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_come_first_and_the_given_order_stays() {
        let inputs = vec![vec![2], vec![], vec![], vec![0, 1]];
        assert_eq!(order(&inputs), Ok(vec![2, 0, 1, 3]));
    }

    #[test]
    fn every_knot_gives_one_whole_cycle_from_its_smallest_index() {
        let inputs = vec![vec![1], vec![2], vec![1, 3], vec![4], vec![2], vec![5]];
        assert_eq!(order(&inputs), Err(vec![vec![1, 2], vec![5]]));
    }

    #[test]
    fn long_chains_do_not_overflow() {
        let mut inputs: Vec<Vec<usize>> = (0..200_000).map(|i| vec![i + 1]).collect();
        inputs.push(vec![]);
        assert_eq!(order(&inputs).map(|o| o.len()), Ok(200_001));
        *inputs.last_mut().unwrap() = vec![0];
        assert_eq!(order(&inputs).unwrap_err().first().map(Vec::len), Some(200_001));
    }

    #[test]
    fn what_no_root_reads_is_named() {
        let inputs = vec![vec![], vec![0], vec![], vec![2]];
        assert_eq!(unreached(&inputs, [1]), vec![2, 3]);
    }
}
