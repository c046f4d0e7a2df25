//! A to-do list on two phones: a document each, and bytes between them over a network that is cut
//! for half the time, loses a third of all messages, and doubles and reorders the rest.

use guid_crdt::{Doc, DocDelta, DocEdit, DocMap, Dot, Message, MutateError, Peer, Replica, wire};
use guid_sim::{
    Ctx, Distribution, Fault, LocalClock, NetworkModel, NodeIndex, Process, RunError, WorldConfig,
    simulate,
};

const SECOND: u64 = 1_000_000_000;
const ANN: NodeIndex = NodeIndex::new(0);
const BEN: NodeIndex = NodeIndex::new(1);

/// What somebody does to the list.
#[derive(Clone, Copy)]
enum Act {
    Add(&'static str),
    Rename(&'static str, &'static str),
    Tick(&'static str),
    Delete(&'static str),
}

/// Who does what, in which second. The network is cut from the eighth to the fortieth.
const ACTS: [(u64, NodeIndex, Act); 8] = [
    (1, ANN, Act::Add("call the plumber")),
    (1, BEN, Act::Add("buy paint")),
    (1, BEN, Act::Add("sell the piano")),
    (10, ANN, Act::Tick("buy paint")),
    (12, BEN, Act::Rename("buy paint", "buy white paint")),
    (15, ANN, Act::Delete("sell the piano")),
    (20, BEN, Act::Rename("call the plumber", "call Ms Meier, the plumber")),
    (25, ANN, Act::Rename("call the plumber", "call the plumber on Monday")),
];

/// A phone: the replica with what it sends to whom, and how much it sent.
struct Phone {
    list: Peer<Doc, LocalClock>,
    second: u64,
    bytes: usize,
}

impl Phone {
    fn new(ctx: &Ctx<'_, Vec<u8>>) -> Self {
        let list = Peer::new(Replica::new(ctx.node_id(), ctx.clock()));
        Self { list, second: 0, bytes: 0 }
    }

    /// The key of a task: the dot that made it, so two that are added at once are two.
    fn key(&self, title: &str) -> Option<String> {
        let tasks = self.list.state().root();
        let mut keys = tasks.keys();
        keys.find(|key| titles(tasks, key).any(|found| found == title)).map(str::to_owned)
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::Add(title) => self.write(|list, dot| {
                list.edit(dot, |tasks| tasks.map(&dot.to_string(), |task| task.set("title", title)))
            }),
            Act::Rename(title, new) => self.edit(title, |task| task.set("title", new)),
            Act::Tick(title) => self.edit(title, |task| task.enable("done")),
            Act::Delete(title) => self.edit(title, |task| {
                task.clear();
            }),
        }
    }

    fn edit(&mut self, title: &str, edit: impl FnOnce(&mut DocEdit<'_>)) {
        if let Some(key) = self.key(title) {
            self.write(|list, dot| list.edit(dot, |tasks| tasks.map(&key, edit)));
        }
    }

    fn write(&mut self, write: impl FnOnce(&mut Doc, Dot) -> Result<DocDelta, MutateError>) {
        let written = self.list.write(write);
        assert!(written.is_ok(), "the dots of a replica are fresh, and nothing is counted here");
    }

    fn send(&mut self, ctx: &mut Ctx<'_, Vec<u8>>, message: &Message<Doc>) {
        let Ok(bytes) = wire::encode(message) else { return };
        self.bytes += bytes.len();
        for node in ctx.others() {
            ctx.send(node, bytes.clone());
        }
    }

    fn show(&self, when: &str, id: NodeIndex) {
        println!("{when}, on the phone of {}:", if id == ANN { "Ann" } else { "Ben" });
        let tasks = self.list.state().root();
        for key in tasks.keys() {
            let done = tasks.map(key).is_some_and(|task| task.is_on("done"));
            let titles: Vec<_> = titles(tasks, key).collect();
            println!("  [{}] {}", if done { 'x' } else { ' ' }, titles.join(" / "));
        }
    }
}

/// The title of a task; several, where two renamed it at once.
fn titles<'a>(tasks: DocMap<'a>, key: &str) -> impl Iterator<Item = &'a str> {
    let task = tasks.map(key).into_iter();
    task.flat_map(|task| task.values("title")).filter_map(|title| title.as_text())
}

/// A node of the simulator: a phone, once it is on.
#[derive(Default)]
struct Node(Option<Phone>);

impl Process for Node {
    type Message = Vec<u8>;

    fn on_start(&mut self, ctx: &mut Ctx<'_, Vec<u8>>) {
        self.0 = Some(Phone::new(ctx));
        ctx.set_timer(SECOND, 0);
    }

    fn on_message(&mut self, ctx: &mut Ctx<'_, Vec<u8>>, _: NodeIndex, message: Vec<u8>) {
        let (Some(phone), Ok(message)) = (&mut self.0, wire::decode(&message)) else { return };
        if let Ok(handled) = phone.list.handle(message)
            && let Some(reply) = handled.reply
        {
            phone.send(ctx, &reply);
        }
    }

    fn on_timer(&mut self, ctx: &mut Ctx<'_, Vec<u8>>, _: u64) {
        let Some(phone) = &mut self.0 else { return };
        phone.second += 1;
        for (second, who, act) in ACTS {
            if (second, who) == (phone.second, ctx.id()) {
                phone.act(act);
            }
        }
        match phone.second {
            39 => phone.show("before they meet", ctx.id()),
            59 => {
                phone.show("after", ctx.id());
                let state = wire::encode(phone.list.state()).map_or(0, |bytes| bytes.len());
                println!("  {} bytes sent; the list has {state}", phone.bytes);
            }
            _ => {}
        }
        phone.send(ctx, &phone.list.greet());
        ctx.set_timer(SECOND, 0);
    }
}

fn main() -> Result<(), RunError> {
    let mut world = WorldConfig::new(2, 7).with_clock(BEN, -30 * 1_000_000_000, 0);
    world.network = NetworkModel::new(Distribution::exponential(100_000_000.0));
    world.network.loss = 0.3;
    world.network.duplicate = 0.2;
    let seconds = std::time::Duration::from_secs;
    let apart = Fault::Partition { groups: vec![vec![ANN], vec![BEN]] };
    let world = world.with_fault(seconds(8), apart).with_fault(seconds(40), Fault::Heal);
    simulate(world, |_| Node::default()).map(drop)
}
