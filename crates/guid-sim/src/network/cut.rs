//! Partitions: who hears whom. Several may be in force; a message has to pass them all.

use crate::NodeIndex;

#[derive(Clone, Debug)]
pub(crate) enum Cut {
    /// The group of each node; it hears its own, and [`BOTH_SIDES`] alone.
    Groups(Vec<u32>),
    /// Whether a node is not heard, and whether it does not hear those.
    OneWay(Vec<(bool, bool)>),
    /// Each node hears its two neighbours, of so many.
    Ring(u32),
}

/// The group of a node that hears and is heard by all.
const BOTH_SIDES: u32 = u32::MAX;

impl Cut {
    /// Each group hears itself alone; nodes in no group form one of their own.
    pub(crate) fn groups(nodes: u32, groups: &[Vec<NodeIndex>]) -> Self {
        let mut of = vec![0; nodes as usize];
        for (number, group) in (1..).zip(groups) {
            for node in group {
                of[node.at()] = number;
            }
        }
        Self::Groups(of)
    }

    /// Two sides, and a node that both reach.
    pub(crate) fn bridge(nodes: u32, node: NodeIndex, side: &[NodeIndex]) -> Self {
        let mut of = vec![0; nodes as usize];
        for node in side {
            of[node.at()] = 1;
        }
        of[node.at()] = BOTH_SIDES;
        Self::Groups(of)
    }

    /// Messages from some to others are lost; without others, to everybody else.
    pub(crate) fn one_way(nodes: u32, from: &[NodeIndex], to: &[NodeIndex]) -> Self {
        let deaf = |node| if to.is_empty() { !from.contains(&node) } else { to.contains(&node) };
        let of = NodeIndex::first(nodes).map(|node| (from.contains(&node), deaf(node)));
        Self::OneWay(of.collect())
    }

    pub(crate) fn passes(&self, from: NodeIndex, to: NodeIndex) -> bool {
        match self {
            Self::Groups(of) => {
                let (a, b) = (of[from.at()], of[to.at()]);
                a == b || a == BOTH_SIDES || b == BOTH_SIDES
            }
            Self::OneWay(of) => !(of[from.at()].0 && of[to.at()].1),
            Self::Ring(nodes) => {
                let apart = from.as_u32().abs_diff(to.as_u32());
                apart <= 1 || apart == nodes - 1
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who hears whom: a row a sender.
    fn table(cut: &Cut) -> Vec<String> {
        let heard = |from| move |to| if cut.passes(from, to) { '+' } else { '.' };
        NodeIndex::first(5).map(|from| NodeIndex::first(5).map(heard(from)).collect()).collect()
    }

    #[test]
    fn who_hears_whom() {
        let [a, b, c, ..] = [0, 1, 2, 3, 4].map(NodeIndex::new);
        let groups = Cut::groups(5, &[vec![a, b], vec![c]]);
        assert_eq!(table(&groups), ["++...", "++...", "..+..", "...++", "...++"]);
        let bridge = Cut::bridge(5, c, &[a, b]);
        assert_eq!(table(&bridge), ["+++..", "+++..", "+++++", "..+++", "..+++"]);
        let one_way = Cut::one_way(5, &[a], &[b, c]);
        assert_eq!(table(&one_way), ["+..++", "+++++", "+++++", "+++++", "+++++"]);
        let mute = Cut::one_way(5, &[a], &[]);
        assert_eq!(table(&mute), ["+....", "+++++", "+++++", "+++++", "+++++"]);
        let ring = Cut::Ring(5);
        assert_eq!(table(&ring), ["++..+", "+++..", ".+++.", "..+++", "+..++"]);
    }
}
