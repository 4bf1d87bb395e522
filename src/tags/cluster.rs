//! From tags to dimensions: a graph of tags that are alike, and its communities.
//!
//! Modularity is Q = Σ over communities of (e − a²), e being the share of the graph's edges inside the community and a the share
//! of ends of edges in it (Newman and Girvan 2004). Communities are joined greedily, always the two whose union raises Q most,
//! until none does (Clauset, Newman and Moore 2004). Equal gains go to the tags that come first, so the outcome does not
//! depend on any order but that of the tags. Tags without neighbours are dimensions of their own.

use rust_stemmers::{Algorithm, Stemmer};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use unicode_segmentation::UnicodeSegmentation as _;

/// Tags that are written more alike than this are neighbours: 1 − edit distance ÷ the longer length. Qworld's figure.
pub const ALIKE: f64 = 0.85;

/// Tags of whose stems (of both together) at least this share is common are neighbours.
pub const OVERLAP: f64 = 0.5;

/// Tags that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dimension {
    /// The tag that most criteria have; of equal ones that with the most neighbours in the dimension, then the shorter one.
    pub name: String,
    /// All of them, the most frequent first.
    pub tags: Vec<String>,
    /// How often criteria have one of them.
    pub count: u64,
}

/// The dimensions of normalised tags with their counts, the most frequent dimension first.
#[must_use]
pub fn clusters(tags: &BTreeMap<String, u64>) -> Vec<Dimension> {
    let list: Vec<(&str, u64)> = tags.iter().map(|(tag, count)| (tag.as_str(), *count)).collect();
    let edges = edges(&list);
    let community = communities(list.len(), &edges);
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (tag, of) in community.iter().enumerate() {
        members.entry(*of).or_default().push(tag);
    }
    let mut dimensions: Vec<Dimension> = members
        .into_values()
        .map(|members| {
            let inside = |tag: usize| {
                edges
                    .iter()
                    .filter(|(a, b)| (*a == tag && members.contains(b)) || (*b == tag && members.contains(a)))
                    .count()
            };
            let mut ranked: Vec<(Reverse<u64>, Reverse<usize>, usize, &str)> = members
                .iter()
                .filter_map(|tag| {
                    let (text, count) = list.get(*tag)?;
                    Some((Reverse(*count), Reverse(inside(*tag)), text.chars().count(), *text))
                })
                .collect();
            ranked.sort();
            Dimension {
                name: ranked.first().map_or("", |first| first.3).to_owned(),
                count: ranked.iter().map(|tag| tag.0.0).sum(),
                tags: ranked.into_iter().map(|tag| tag.3.to_owned()).collect(),
            }
        })
        .collect();
    dimensions.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
    dimensions
}

/// The pairs of neighbours, the smaller place first.
fn edges(tags: &[(&str, u64)]) -> BTreeSet<(usize, usize)> {
    let stemmer = Stemmer::create(Algorithm::English);
    let stems: Vec<BTreeSet<String>> = tags
        .iter()
        .map(|(tag, _)| {
            let all: Vec<&str> = tag.unicode_words().collect();
            let words: Vec<&str> = all.iter().copied().filter(|word| !crate::quality::words::is_stop(word)).collect();
            let words = if words.is_empty() { all } else { words };
            words.iter().map(|word| stemmer.stem(word).into_owned()).collect()
        })
        .collect();
    let mut having: HashMap<&str, Vec<usize>> = HashMap::new();
    for (tag, stems) in stems.iter().enumerate() {
        for stem in stems {
            having.entry(stem).or_default().push(tag);
        }
    }
    let mut edges = BTreeSet::new();
    for (a, own) in stems.iter().enumerate() {
        for b in own.iter().filter_map(|stem| having.get(stem.as_str())).flatten().copied().filter(|b| *b > a) {
            let Some(other) = stems.get(b) else { continue };
            let (both, all) = (own.intersection(other).count(), own.union(other).count());
            #[expect(clippy::cast_precision_loss, reason = "a tag has few words")]
            if both as f64 >= OVERLAP * all as f64 {
                edges.insert((a, b));
            }
        }
    }
    for (a, (first, _)) in tags.iter().enumerate() {
        for (b, (second, _)) in tags.iter().enumerate().skip(a + 1) {
            // Lengths that differ by more cannot be so much alike.
            let (short, long) = (first.len().min(second.len()), first.len().max(second.len()));
            if short * 4 >= long * 3 && strsim::normalized_levenshtein(first, second) > ALIKE {
                edges.insert((a, b));
            }
        }
    }
    edges
}

/// The community of each node: the smallest node in it.
fn communities(nodes: usize, edges: &BTreeSet<(usize, usize)>) -> Vec<usize> {
    let mut of: Vec<usize> = (0..nodes).collect();
    // Twice the edges between two communities, and the ends of edges in one.
    let mut between: BTreeMap<(usize, usize), i128> = BTreeMap::new();
    let mut ends: BTreeMap<usize, i128> = BTreeMap::new();
    for (a, b) in edges {
        *between.entry((*a, *b)).or_default() += 1;
        *ends.entry(*a).or_default() += 1;
        *ends.entry(*b).or_default() += 1;
    }
    let all = i128::try_from(edges.len()).unwrap_or(i128::MAX);
    // The gain of a union is 2 (e_ij − a_i a_j) with e_ij = m_ij ÷ 2m and a = ends ÷ 2m; times 4m² ÷ 2 it is whole.
    loop {
        let gain = |(a, b): (usize, usize), count: i128| {
            let end = |c: usize| ends.get(&c).copied().unwrap_or(0);
            2 * all * count - end(a) * end(b)
        };
        let best = between.iter().map(|(pair, count)| (gain(*pair, *count), Reverse(*pair))).max();
        let Some((_, Reverse((keep, gone)))) = best.filter(|(gain, _)| *gain > 0) else { break };
        let moved = ends.remove(&gone).unwrap_or(0);
        *ends.entry(keep).or_default() += moved;
        for community in of.iter_mut().filter(|community| **community == gone) {
            *community = keep;
        }
        let touched: Vec<((usize, usize), i128)> = between
            .iter()
            .filter(|((a, b), _)| *a == gone || *b == gone)
            .map(|(pair, count)| (*pair, *count))
            .collect();
        for (pair, count) in touched {
            between.remove(&pair);
            let other = if pair.0 == gone { pair.1 } else { pair.0 };
            if other != keep {
                *between.entry((keep.min(other), keep.max(other))).or_default() += count;
            }
        }
    }
    of
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(tags: &[(&str, u64)]) -> Vec<Vec<String>> {
        let tags = tags.iter().map(|(tag, count)| ((*tag).to_owned(), *count)).collect();
        clusters(&tags).into_iter().map(|dimension| dimension.tags).collect()
    }

    #[test]
    fn tags_with_the_same_stems_or_nearly_the_same_letters_belong_together() {
        let found = named(&[
            ("safety", 3),
            ("patient safety", 5),
            ("tone", 2),
            ("grading", 1),
            ("grades", 1),
            ("honesty", 1),
            ("honnesty", 4),
        ]);
        assert_eq!(
            found,
            [vec!["patient safety", "safety"], vec!["honnesty", "honesty"], vec!["grades", "grading"], vec!["tone"]]
        );
    }

    #[test]
    fn two_triangles_with_a_bridge_are_two_communities() {
        // Worked out by hand: Q of the two triangles is 6/7 − 1/2, of everything together 0.
        let edges = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5)].into_iter().collect();
        assert_eq!(communities(6, &edges), [0, 0, 0, 3, 3, 3]);
        assert_eq!(communities(3, &BTreeSet::new()), [0, 1, 2]);
    }

    #[test]
    fn a_dimension_is_called_after_its_most_frequent_tag() {
        let tags = [("dosing", 2), ("dose", 7), ("doses", 7)].map(|(tag, n)| (tag.to_owned(), n)).into_iter().collect();
        let found = clusters(&tags);
        assert_eq!((found.len(), found[0].name.as_str(), found[0].count), (1, "dose", 16));
        assert!(clusters(&BTreeMap::new()).is_empty());
    }
}
