//! Where boxes and arrows go: layers from left to right, after Sugiyama, Tagawa and Toda (1981).
//!
//! A box stands one layer before the first that reads it, so that questions stand beside what they serve. An arrow over several
//! layers is cut by places of its own, so that it passes between boxes. The order within a layer is found by medians, forth and back,
//! and the one with the fewest crossings is kept; heights are the best that keep the order and the gaps (isotonic regression towards
//! the middle of the neighbours). The same input gives the same picture. It knows sizes and arrows, no words.

/// The gaps between boxes of a layer, and between layers.
const GAP: f64 = 18.0;
const BETWEEN: f64 = 74.0;
/// The gap that an arrow keeps.
const NARROW: f64 = 9.0;
const SWEEPS: usize = 24;

/// A size in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Size {
    pub w: f64,
    pub h: f64,
}

/// An arrow between boxes; `out` and `into`: how far below the top of its boxes it begins and ends, as a share of their height.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Edge {
    pub from: usize,
    pub to: usize,
    pub out: f64,
    pub into: f64,
}

/// A place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    pub x: f64,
    pub y: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Layout {
    /// The left upper corner of each box.
    pub boxes: Vec<Point>,
    /// The points that each arrow passes, its ends among them.
    pub paths: Vec<Vec<Point>>,
    pub size: Size,
}

/// A box or a place of an arrow within a layer.
#[derive(Debug, Clone, Copy)]
struct Item {
    size: Size,
    layer: usize,
    y: f64,
    real: bool,
}

/// Items of one layer that touch each other, moved as one.
struct Block {
    /// The weighted sum of the places that the items want, each less its place in the block.
    wanted: f64,
    weight: f64,
    /// The items, each with its place below the block's first.
    items: Vec<(usize, f64)>,
}

impl Block {
    /// Where the block as a whole is nearest to what its items want.
    fn top(&self) -> f64 {
        self.wanted / self.weight
    }
}

#[derive(Default)]
struct Work {
    items: Vec<Item>,
    /// Items of each layer, from above.
    layers: Vec<Vec<usize>>,
    /// Per item: neighbours before and behind.
    before: Vec<Vec<usize>>,
    behind: Vec<Vec<usize>>,
    /// Per arrow, the items that it passes, from its first box to its last.
    chains: Vec<Vec<usize>>,
}

/// Lays out boxes and arrows without circles; an arrow of a circle would be left where it stands.
pub(super) fn layout(sizes: &[Size], edges: &[Edge]) -> Layout {
    let layer = layers(sizes.len(), edges);
    let mut work = Work::default();
    for (size, layer) in sizes.iter().zip(&layer) {
        work.add(Item { size: *size, layer: *layer, y: 0.0, real: true });
    }
    for edge in edges {
        work.chain(edge);
    }
    work.order();
    work.heights();
    work.finish(sizes.len(), edges)
}

/// Each box one layer before the first that reads it, counted from the left.
fn layers(count: usize, edges: &[Edge]) -> Vec<usize> {
    let mut depth = vec![0_usize; count];
    // As many rounds as the longest way has arrows settle it.
    for _ in 0..count {
        let mut changed = false;
        for edge in edges.iter().filter(|edge| edge.from != edge.to) {
            let needed = depth.get(edge.to).map_or(0, |d| d + 1);
            if let Some(depth) = depth.get_mut(edge.from).filter(|depth| **depth < needed && needed <= count) {
                *depth = needed;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let most = depth.iter().copied().max().unwrap_or(0);
    depth.into_iter().map(|depth| most - depth).collect()
}

impl Work {
    fn add(&mut self, item: Item) -> usize {
        let at = self.items.len();
        while self.layers.len() <= item.layer {
            self.layers.push(Vec::new());
        }
        if let Some(layer) = self.layers.get_mut(item.layer) {
            layer.push(at);
        }
        self.items.push(item);
        self.before.push(Vec::new());
        self.behind.push(Vec::new());
        at
    }

    fn chain(&mut self, edge: &Edge) {
        let layer_of = |work: &Work, at: usize| work.items.get(at).map_or(0, |item| item.layer);
        let (first, last) = (layer_of(self, edge.from), layer_of(self, edge.to));
        let mut chain = vec![edge.from];
        for layer in first + 1..last {
            let item = Item { size: Size { w: 0.0, h: 2.0 }, layer, y: 0.0, real: false };
            let at = self.add(item);
            chain.push(at);
        }
        chain.push(edge.to);
        for pair in chain.windows(2) {
            let [a, b] = pair else { continue };
            if let Some(list) = self.behind.get_mut(*a) {
                list.push(*b);
            }
            if let Some(list) = self.before.get_mut(*b) {
                list.push(*a);
            }
        }
        self.chains.push(chain);
    }

    /// The places of items within their layers.
    fn places(&self) -> Vec<usize> {
        let mut places = vec![0; self.items.len()];
        for layer in &self.layers {
            for (place, at) in layer.iter().enumerate() {
                if let Some(slot) = places.get_mut(*at) {
                    *slot = place;
                }
            }
        }
        places
    }

    fn order(&mut self) {
        let mut best = (self.crossings(), self.layers.clone());
        for sweep in 0..SWEEPS {
            let forth = sweep % 2 == 0;
            let count = self.layers.len();
            for step in 1..count {
                let layer = if forth { step } else { count - 1 - step };
                let places = self.places();
                let median = |at: &usize| {
                    let neighbours = if forth { &self.before } else { &self.behind };
                    let list = neighbours.get(*at).map_or(&[][..], Vec::as_slice);
                    let mut list: Vec<usize> = list.iter().filter_map(|n| places.get(*n).copied()).collect();
                    list.sort_unstable();
                    let own = places.get(*at).copied().unwrap_or(0) as f64;
                    match (list.get(list.len().saturating_sub(1) / 2), list.get(list.len() / 2)) {
                        (Some(a), Some(b)) => (*a + *b) as f64 / 2.0,
                        _ => own,
                    }
                };
                let Some(mut items) = self.layers.get(layer).cloned() else { continue };
                let keys: Vec<(f64, usize)> = items.iter().map(|at| (median(at), *at)).collect();
                let key = |at: &usize| keys.iter().find(|(_, item)| item == at).map_or(0.0, |(key, _)| *key);
                // Stable: equal ones keep the order they have.
                items.sort_by(|a, b| key(a).total_cmp(&key(b)));
                if let Some(slot) = self.layers.get_mut(layer) {
                    *slot = items;
                }
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.layers.clone());
            }
        }
        self.layers = best.1;
    }

    /// How many pairs of arrows cross between neighbouring layers.
    fn crossings(&self) -> usize {
        let places = self.places();
        let place = |at: usize| places.get(at).copied().unwrap_or(0);
        let mut crossings = 0;
        for layer in &self.layers {
            let ends = layer.iter().flat_map(|at| {
                let mut ends: Vec<usize> =
                    self.behind.get(*at).into_iter().flatten().map(|behind| place(*behind)).collect();
                ends.sort_unstable();
                ends
            });
            // Inversions, by a sorted list of the ends that came before.
            let mut seen: Vec<usize> = Vec::new();
            for end in ends {
                let above = seen.partition_point(|other| *other <= end);
                crossings += seen.len() - above;
                seen.insert(above, end);
            }
        }
        crossings
    }

    fn middle(&self, at: usize) -> f64 {
        self.items.get(at).map_or(0.0, |item| item.y + item.size.h / 2.0)
    }

    /// The upper edges of all items: first close together, then drawn towards their neighbours.
    fn heights(&mut self) {
        for layer in self.layers.clone() {
            let mut y = 0.0;
            for at in layer {
                let Some(item) = self.items.get_mut(at) else { continue };
                item.y = y;
                y += item.size.h + if item.real { GAP } else { NARROW };
            }
        }
        for sweep in 0..SWEEPS {
            let count = self.layers.len();
            for step in 0..count {
                let layer = if sweep % 2 == 0 { step } else { count - 1 - step };
                self.settle(layer);
            }
        }
        let top = self.items.iter().map(|item| item.y).fold(f64::INFINITY, f64::min);
        for item in &mut self.items {
            item.y -= top;
        }
    }

    /// Moves the items of a layer as near to the middle of their neighbours as order and gaps allow.
    fn settle(&mut self, layer: usize) {
        let Some(items) = self.layers.get(layer).cloned() else { return };
        let mut blocks: Vec<Block> = Vec::new();
        let mut down = 0.0;
        for at in items {
            let Some(item) = self.items.get(at).copied() else { continue };
            let neighbours = [&self.before, &self.behind].into_iter().filter_map(|all| all.get(at)).flatten();
            let middles: Vec<f64> = neighbours.map(|n| self.middle(*n)).collect();
            let wanted = if middles.is_empty() {
                item.y
            } else {
                middles.iter().sum::<f64>() / middles.len() as f64 - item.size.h / 2.0
            };
            // Arrows are drawn straight before boxes are.
            let weight = if item.real { 1.0 } else { 2.0 };
            blocks.push(Block { wanted: (wanted - down) * weight, weight, items: vec![(at, down)] });
            down += item.size.h + if item.real { GAP } else { NARROW };
            while let [.., above, below] = blocks.as_slice()
                && above.top() > below.top()
            {
                let Some(below) = blocks.pop() else { break };
                if let Some(above) = blocks.last_mut() {
                    above.wanted += below.wanted;
                    above.weight += below.weight;
                    above.items.extend(below.items);
                }
            }
        }
        for block in blocks {
            let top = block.top();
            for (at, down) in block.items {
                if let Some(item) = self.items.get_mut(at) {
                    item.y = top + down;
                }
            }
        }
    }

    fn finish(self, boxes: usize, edges: &[Edge]) -> Layout {
        let width = |layer: &Vec<usize>| {
            layer.iter().filter_map(|at| self.items.get(*at)).map(|item| item.size.w).fold(0.0, f64::max)
        };
        let mut x = 0.0;
        let columns: Vec<(f64, f64)> = self
            .layers
            .iter()
            .map(|layer| {
                let column = (x, width(layer));
                x += column.1 + BETWEEN;
                column
            })
            .collect();
        let column = |layer: usize| columns.get(layer).copied().unwrap_or_default();
        // In the middle of its column: arrows then have room on both sides.
        let corner = |item: &Item| {
            let (left, width) = column(item.layer);
            Point { x: left + (width - item.size.w) / 2.0, y: item.y }
        };
        let paths = self.chains.iter().zip(edges).map(|(chain, edge)| {
            let mut points = Vec::with_capacity(chain.len() * 2);
            for (n, at) in chain.iter().enumerate() {
                let Some(item) = self.items.get(*at) else { continue };
                let Point { x, y } = corner(item);
                // Straight within the whole column: boxes above and below may be wider.
                let (left, width) = column(item.layer);
                if n == 0 {
                    let y = y + item.size.h * edge.out;
                    points.extend([Point { x: x + item.size.w, y }, Point { x: left + width, y }]);
                } else if n + 1 == chain.len() {
                    let y = y + item.size.h * edge.into;
                    points.extend([Point { x: left, y }, Point { x, y }]);
                } else {
                    points.extend([Point { x: left, y: y + 1.0 }, Point { x: left + width, y: y + 1.0 }]);
                }
            }
            points
        });
        let bottom = self.items.iter().map(|item| item.y + item.size.h).fold(0.0, f64::max);
        Layout {
            boxes: self.items.iter().take(boxes).map(corner).collect(),
            paths: paths.collect(),
            size: Size { w: (x - BETWEEN).max(0.0), h: bottom },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A graph whose arrows go from smaller to larger numbers.
    fn graph() -> impl Strategy<Value = (Vec<Size>, Vec<Edge>)> {
        let sizes = proptest::collection::vec((20.0..200.0, 10.0..150.0), 1..24);
        let edges = proptest::collection::vec((0_usize..24, 0_usize..24), 0..60);
        (sizes, edges).prop_map(|(sizes, edges)| {
            let n = sizes.len();
            let edge = |(a, b): (usize, usize)| {
                let (a, b) = (a % n, b % n);
                (a != b).then(|| Edge { from: a.min(b), to: a.max(b), out: 0.5, into: 0.25 })
            };
            (sizes.into_iter().map(|(w, h)| Size { w, h }).collect(), edges.into_iter().filter_map(edge).collect())
        })
    }

    proptest! {
        #[test]
        fn boxes_do_not_overlap_and_arrows_join_their_boxes((sizes, edges) in graph()) {
            let found = layout(&sizes, &edges);
            prop_assert_eq!(&found, &layout(&sizes, &edges));
            let placed: Vec<(Point, Size)> = found.boxes.iter().copied().zip(sizes.iter().copied()).collect();
            for (n, (a, sa)) in placed.iter().enumerate() {
                prop_assert!(a.x >= 0.0 && a.y >= -1e-6 && a.x + sa.w <= found.size.w + 1e-6 && a.y + sa.h <= found.size.h + 1e-6);
                for (b, sb) in &placed[n + 1..] {
                    let apart = a.x + sa.w <= b.x || b.x + sb.w <= a.x || a.y + sa.h <= b.y + 1e-6 || b.y + sb.h <= a.y + 1e-6;
                    prop_assert!(apart, "{a:?} {sa:?} {b:?} {sb:?}");
                }
            }
            for (edge, path) in edges.iter().zip(&found.paths) {
                let ((from, size), (to, into)) = (placed[edge.from], placed[edge.to]);
                prop_assert_eq!(path[0], Point { x: from.x + size.w, y: from.y + size.h * edge.out });
                prop_assert_eq!(path[path.len() - 1], Point { x: to.x, y: to.y + into.h * edge.into });
                prop_assert!(path.windows(2).all(|two| two[0].x <= two[1].x), "{path:?}");
            }
        }
    }

    #[test]
    fn questions_stand_beside_what_they_serve() {
        let sizes = [Size { w: 10.0, h: 10.0 }; 4];
        let edge = |from, to| Edge { from, to, out: 0.5, into: 0.5 };
        // 0 → 1 → 2, and 3 serves 2 only.
        let found = layout(&sizes, &[edge(0, 1), edge(1, 2), edge(3, 2)]);
        assert!(found.boxes[3].x == found.boxes[1].x && found.boxes[0].x < found.boxes[1].x);
    }
}
