//! Kinds `node_env` and `node_id`: where a node comes from.

use guid_core::NodeId;

use crate::line::check_all;

/// SHA-256 of nothing: the node that upstream takes on every machine where the variable is unset.
const NODE_OF_NOTHING: NodeId = NodeId::new(0xe3b0_c442);

/// `NodeId::from_env` answers unset and empty with an error; its decision is tested beside it,
/// because a test cannot change the environment of its own process safely.
#[test]
fn the_node_of_a_name_is_that_of_upstream() {
    check_all("node_env", |line| {
        let (name, node) = (line.text("/env"), line.node("/node"));
        assert_eq!(NodeId::from_name(name), node);
        assert!(line.flag("/set") || name.is_empty());
        assert_eq!(node == NODE_OF_NOTHING, name.is_empty());
    });
}

/// Upstream cuts a wide number silently. Here the caller cuts.
#[test]
fn a_wide_number_is_no_node() {
    check_all("node_id", |line| {
        let wide = line.hex("/id");
        let low = u32::try_from(wide % (1 << 32)).expect("32 bits");
        assert_eq!(NodeId::new(low), line.node("/node"));
        assert_eq!(NodeId::new(low).to_string(), line.text("/node"));
        assert_eq!(u32::try_from(wide).is_ok(), wide == u64::from(low));
    });
}
