//! Snowflakes become IDs and come back.

use guid_core::{ByTime, Drift, Epoch, Snowflake};
use proptest::prelude::*;

use crate::spec::{TICK_NS, below, cases, code, fractions};

/// Epochs of Twitter, Discord, Unix, off any millisecond, and the last that leaves room.
fn epoch() -> impl Strategy<Value = Epoch> {
    let last = u64::MAX - ((1 << 41) - 1) * 1_000_000;
    prop_oneof![
        Just(0),
        Just(1_288_834_974_657_000_000),
        Just(1_420_070_400_000_000_000),
        Just(last),
        0..=last,
    ]
    .prop_map(Epoch::from_unix_nanos)
}

fn snowflake() -> impl Strategy<Value = Snowflake> {
    below(1 << 63).prop_map(|number| Snowflake::from_u64(number).expect("63 bits"))
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn a_snowflake_comes_back(flake in snowflake(), epoch in epoch(), code in code()) {
        let id = flake.to_guid(epoch, Drift::from_code(code).unwrap()).unwrap();
        prop_assert_eq!(Snowflake::from_guid(id, epoch), Some(flake));
        prop_assert_eq!(id.node().as_u32(), flake.node());
        prop_assert_eq!(id.seq().as_u16(), flake.seq());
        let nanos = epoch.to_unix_nanos(flake.millis() * 1_000_000);
        prop_assert_eq!(u128::from(id.tick().as_u64()), nanos / u128::from(TICK_NS));
    }

    /// Two of one node, near one another so that equal milliseconds are common.
    #[test]
    fn order_is_kept_per_node(
        a in snowflake(),
        (millis, seq) in (0..3_u64, 0..4_096_u16),
        epoch in epoch(),
    ) {
        let millis = (a.millis() + millis).min((1 << 41) - 1);
        let b = Snowflake::new(millis, a.node(), seq).unwrap();
        let [x, y] = [a, b].map(|flake| flake.to_guid(epoch, Drift::D3).unwrap());
        prop_assert_eq!(a.cmp(&b), x.cmp(&y));
        prop_assert_eq!(a.cmp(&b), ByTime(x).cmp(&ByTime(y)));
    }

    #[test]
    fn fractions_are_the_number(flake in snowflake()) {
        let number = (flake.millis() * 1_024 + u64::from(flake.node())) * 4_096;
        prop_assert_eq!(number + u64::from(flake.seq()), flake.as_u64());
        let again = Snowflake::new(flake.millis(), flake.node(), flake.seq());
        prop_assert_eq!(again, Ok(flake));
    }

    /// Any ID: either it came from a Snowflake, and is what that becomes, or there is none.
    #[test]
    fn no_two_ids_are_one_snowflake(
        mut id in fractions(),
        narrow in any::<bool>(),
        epoch in epoch(),
    ) {
        if narrow {
            (id.node, id.seq) = (id.node % 1_024, id.seq % 4_096);
        }
        let id = id.to_guid();
        if let Some(flake) = Snowflake::from_guid(id, epoch) {
            prop_assert_eq!(flake.to_guid(epoch, id.drift()), Ok(id));
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    assert_eq!(Snowflake::from_u64(1 << 63), None);
    let errors =
        [Snowflake::new(1 << 41, 0, 0), Snowflake::new(0, 1_024, 0), Snowflake::new(0, 0, 4_096)];
    let max = errors.map(|made| made.unwrap_err().max());
    assert_eq!(max, [(1 << 41) - 1, 1_023, 4_095]);
    let late = Epoch::from_unix_nanos(u64::MAX - 5_500_000);
    let [fits, does_not] = [5, 6].map(|millis| Snowflake::new(millis, 0, 0).unwrap());
    assert!(fits.to_guid(late, Drift::D3).is_ok());
    assert_eq!(does_not.to_guid(late, Drift::D3).unwrap_err().max(), 5);
}
