//! A run takes as much memory at four times its length: what checkers remember has an end.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use guid_sim::Scenario;

/// By how much the peak may grow from a run to one of four times its length: what a queue or a
/// vector has doubled to, and no more. 900,000 further events, at 100 bytes each, would be 90 MB.
const GROWTH_MOST: u64 = 8 << 20;

/// The most memory that a run had at once, and how many events it had.
fn peak(seconds: u32) -> (u64, u64) {
    // The checkers of eight schemes share what they may remember: 131,072 IDs each.
    let text = format!(
        "[scenario]\nnodes = 4\nduration = \"{seconds}s\"\nsettle = \"2s\"\n\
         [ids]\nschemes = [\"guid96:d0\", \"guid96:d3\", \"guid64\", \"upstream\", \"snowflake\",\n\
         \"ulid\", \"lamport\", \"hlc\"]\n\
         [clock]\npreset = \"lan-ntp\"\n[network]\nloss = \"1%\"\n\
         [workload]\nkind = \"lww\"\nrate = \"500/s\"\nthink = \"1s\"\n\
         [check]\ngaps = [\"10ms\"]"
    );
    let scenario = Scenario::parse(&text).unwrap();
    let mut events = 0;
    let memory = allocation_counter::measure(|| events = scenario.run(42).unwrap().events);
    (memory.bytes_max, events)
}

#[test]
fn a_longer_run_takes_no_more_memory() {
    let (short, events) = peak(40);
    let (long, more) = peak(160);
    assert!(events > 250_000 && more > 39 * events / 10, "{events} and {more} events");
    let growth = long.saturating_sub(short);
    assert!(growth <= GROWTH_MOST, "{growth} bytes more: {short} at {events}, {long} at {more}");
}
