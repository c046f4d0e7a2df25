//! What the simulator is measured against: the least that an event loop does, and turmoil.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    net::{IpAddr, Ipv4Addr},
    time::Duration,
};

use guid_sim::{Distribution, Purpose, Streams};
use turmoil::{Builder, net::UdpSocket};

use crate::ours::GAP_NS;

/// A binary heap of (time, number, node) and the same draws: the send of a node pushes its next
/// one and a delivery. Nothing is recorded.
pub(crate) fn bare_loop(nodes: u32, events: u64) -> u64 {
    let gap = Distribution::exponential(f64::from(GAP_NS));
    let mut rng = Streams::new(42).of_world(Purpose::Workload);
    let mut heap = BinaryHeap::new();
    let mut pushed = 0_u64;
    let mut push = |heap: &mut BinaryHeap<_>, at: u64, send: Option<u32>| {
        heap.push(Reverse((at, pushed, send)));
        pushed += 1;
    };
    for node in 0..nodes {
        push(&mut heap, gap.sample_unsigned(&mut rng), Some(node));
    }
    for _ in 0..events {
        let Some(Reverse((now, _, send))) = heap.pop() else { break };
        if let Some(node) = send {
            push(&mut heap, now + gap.sample_unsigned(&mut rng), None);
            push(&mut heap, now + gap.sample_unsigned(&mut rng), Some(node));
        }
    }
    events
}

const PORT: u16 = 9000;

/// Hosts that send `burst` datagrams every millisecond, which is a tick, and receive those of
/// others. With one it is the work of ours; with many, what a tick costs by itself is shared.
/// Returns how many datagrams were sent.
pub(crate) fn turmoil_datagrams(hosts: u32, burst: u32, datagrams: u64) -> u64 {
    let bursts = datagrams.div_ceil(u64::from(hosts * burst));
    let mut sim = Builder::new()
        .rng_seed(42)
        .tick_duration(Duration::from_millis(1))
        .simulation_duration(Duration::from_secs(1 << 30))
        .udp_capacity(1 << 16)
        .build();
    for host in 0..hosts {
        sim.client(name(host), async move {
            let any = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
            let socket = UdpSocket::bind((any, PORT)).await?;
            let mut inbox = [0; 16];
            for number in 0..bursts {
                tokio::time::sleep(Duration::from_millis(1)).await;
                for i in 0..burst {
                    let to = (host + 1 + i) % hosts;
                    socket.send_to(&number.to_be_bytes(), (name(to), PORT)).await?;
                }
                while socket.try_recv_from(&mut inbox).is_ok() {}
            }
            Ok(())
        });
    }
    sim.run().expect("the hosts end");
    bursts * u64::from(hosts * burst)
}

fn name(host: u32) -> String {
    format!("host-{host}")
}
