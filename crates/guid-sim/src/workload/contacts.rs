//! One node meets random others: how many does its vector clock name in the end?

use crate::{Ctx, NodeIndex, Process};

/// Meet random nodes.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ContactsWorkload {
    /// How many contacts.
    pub contacts: u64,
    /// From one to the next.
    pub every_ns: u64,
}

/// What nodes say when they meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a greeting and its answer")]
pub enum ContactMessage {
    /// Hello.
    Hello,
    /// Hello to you.
    Answer,
}

/// The process of [`ContactsWorkload`].
#[derive(Debug)]
pub struct Contacts {
    left: u64,
    every_ns: u64,
}

impl Contacts {
    /// Returns the process of one node.
    pub fn new(workload: &ContactsWorkload) -> Self {
        Self { left: workload.contacts, every_ns: workload.every_ns.max(1) }
    }
}

impl Process for Contacts {
    type Message = ContactMessage;

    fn on_start(&mut self, ctx: &mut Ctx<'_, ContactMessage>) {
        if ctx.id() == NodeIndex::new(0) {
            ctx.set_timer(self.every_ns, 0);
        }
    }

    fn on_message(
        &mut self,
        ctx: &mut Ctx<'_, ContactMessage>,
        from: NodeIndex,
        message: ContactMessage,
    ) {
        match message {
            ContactMessage::Hello => ctx.send(from, ContactMessage::Answer),
            ContactMessage::Answer => ctx.count("contacts", 1),
        }
    }

    fn on_timer(&mut self, ctx: &mut Ctx<'_, ContactMessage>, _: u64) {
        if let Some(left) = self.left.checked_sub(1) {
            self.left = left;
            let to = ctx.random_other();
            ctx.send(to, ContactMessage::Hello);
            ctx.set_timer(self.every_ns, 0);
        }
    }
}
