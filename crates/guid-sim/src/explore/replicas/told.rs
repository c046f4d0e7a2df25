//! Steps and states in words: what a run is written as, and read back from.

use super::{Do, Replicas, Step, state::Name};
use crate::explore::{Subject, report::Told};

impl<S: Subject> Told for Replicas<S> {
    fn step(&self, state: &Self::State, action: &Step) -> String {
        let node = |number: u32| number + 1;
        let message =
            |Name { from, number, to }: Name| format!("n{}.{number} to n{}", from + 1, to + 1);
        match *action {
            Step::Script(at) => {
                let place = state.nodes[at as usize].place;
                let does = self.scripts[at as usize].does.get(place);
                format!("n{}: {}", node(at), does.map_or_else(String::new, does_in_words))
            }
            Step::Arrive(name) => format!("{} arrives", message(name)),
            Step::Lose(name) => format!("{} is lost", message(name)),
            Step::Double(name) => format!("{} is doubled", message(name)),
            Step::Crash(at) => format!("n{} crashes", node(at)),
            Step::Clock(at, by_ns) => {
                format!("the clock of n{} steps by {}", node(at), crate::explore::file::by(by_ns))
            }
        }
    }

    fn nodes(&self) -> usize {
        self.scripts.len()
    }

    fn shows(&self, state: &Self::State) -> Vec<String> {
        let show = |node: &std::rc::Rc<super::state::Node<S::State>>| {
            self.subject.show(node.now.saved.state())
        };
        state.nodes.iter().map(show).collect()
    }
}

/// A step of a script as files write it.
pub(in crate::explore) fn does_in_words<O: std::fmt::Display>(does: &Do<O>) -> String {
    match does {
        Do::Write(op) => op.to_string(),
        Do::Send(to) => format!("send {}", to + 1),
        Do::SendAll => "send all".to_owned(),
        Do::Store => "store".to_owned(),
    }
}
