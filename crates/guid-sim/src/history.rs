//! Histories of clients, and what they show about the system that answered.
//!
//! *Did the system keep its promise?* A client does not see clocks, nodes or messages; it sees what
//! it asked for and what it was answered. A history is the list of these, in the order in which
//! one observer saw them, and a checker judges it: were elements lost from a set, was an ID given
//! twice, does a counter read what it can read? Where the history decides nothing, the verdict is
//! unknown; where something is wrong, the operations that show it are named.
//!
//! ```
//! use guid_sim::{Verdict, history::Case};
//!
//! let case = Case::parse(
//!     r#"{"checker": "unique-ids", "history": [
//!         {"process": 0, "type": "invoke", "f": "generate", "value": null, "time": 0},
//!         {"process": 1, "type": "invoke", "f": "generate", "value": null, "time": 1},
//!         {"process": 0, "type": "ok", "f": "generate", "value": "a", "time": 2},
//!         {"process": 1, "type": "ok", "f": "generate", "value": "a", "time": 3}]}"#,
//! )?;
//! let outcome = case.check()?;
//! assert_eq!(outcome.verdict, Verdict::Violated);
//! assert_eq!(outcome.witness.unwrap().ops, [2, 3]);
//! # Ok::<(), guid_sim::history::HistoryError>(())
//! ```
//!
//! # Invariants
//!
//! * A client does one thing at a time, and every completion has its invocation: what breaks this
//!   is no history, and is refused with the operation that breaks it.
//! * A checker is a function of the history; past its bounds it says `unknown`.
//!
//! # References
//!
//! Jepsen: `checker/set-full`, `checker/unique-ids`. Maelstrom: the checkers of its workloads
//! `echo`, `broadcast`, `g-set`, `g-counter` and `pn-counter`. The verdicts and counts here are
//! theirs.

mod element;
mod op;
mod case;
mod outcome;
mod set_full;
mod unique_ids;
mod echo;
mod counter;

use std::{collections::BTreeMap, error::Error, fmt};

pub use self::{
    case::{Case, Checker},
    counter::Counter,
    echo::Echoes,
    element::Element,
    op::{Function, Op, OpKind, Process},
    outcome::{Counts, Outcome, Witness},
    set_full::SetFull,
    unique_ids::UniqueIds,
};

/// What clients asked for and were answered, in the order in which it was seen.
///
/// # Examples
///
/// ```
/// use guid_sim::history::{Checker, Function::*, History, Op, OpKind::*};
///
/// let mut history = History::default();
/// history.push(Op::new(0, Invoke, Add, 0).of("x"))?;
/// history.push(Op::new(0, Ok, Add, 10))?; // the value is the invocation's
/// history.push(Op::new(1, Invoke, Read, 20))?;
/// history.push(Op::new(1, Ok, Read, 30).with([]))?;
/// let outcome = history.check(Checker::SetFull)?;
/// assert_eq!(outcome.witness.unwrap().says, r#""x" is lost: known, then missed by a later read"#);
/// # std::result::Result::Ok::<(), guid_sim::history::HistoryError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct History {
    ops: Vec<Op>,
    /// Of each completion its invocation. Of an invocation, and of what is no client's: itself.
    invoked: Vec<usize>,
    /// What each client is doing.
    open: BTreeMap<Process, usize>,
}

/// Why a text is no history, or not one that the checker can judge.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HistoryError {
    /// Where in the text it shows, in bytes; 0 where there is no one place.
    pub at: usize,
    /// What is wrong: in which operation, what was found, what was expected.
    pub message: String,
}

impl History {
    /// Takes in what was seen next.
    ///
    /// # Errors
    ///
    /// A completion needs its invocation, by the same client and with the same value; a client that
    /// has not been answered asks for nothing else. Nothing is taken in then.
    pub fn push(&mut self, mut op: Op) -> Result<(), HistoryError> {
        let index = self.ops.len();
        let invoked = match (op.process, op.kind) {
            (Process::Other, _) => index,
            (_, OpKind::Invoke) => self.invoke(&op)?,
            (_, _) => self.complete(&mut op)?,
        };
        if op.process != Process::Other {
            match op.kind {
                OpKind::Invoke => drop(self.open.insert(op.process, index)),
                _ => drop(self.open.remove(&op.process)),
            }
        }
        self.ops.push(op);
        self.invoked.push(invoked);
        Ok(())
    }

    /// Returns the operations.
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// Judges the history.
    ///
    /// # Errors
    ///
    /// The operations must be those of the checker, their values of its kind.
    pub fn check(&self, checker: Checker) -> Result<Outcome, HistoryError> {
        let (verdict, counts, witness) = match checker {
            Checker::SetFull => set_full::check(self, false)?,
            Checker::SetFullLin => set_full::check(self, true)?,
            Checker::UniqueIds => unique_ids::check(self)?,
            Checker::Echo => echo::check(self)?,
            Checker::PnCounter | Checker::GCounter => counter::check(self)?,
        };
        Ok(Outcome { checker, verdict, counts, witness })
    }

    fn invoke(&self, op: &Op) -> Result<usize, HistoryError> {
        let index = self.ops.len();
        if let Some(open) = self.open.get(&op.process) {
            let Op { process, function, .. } = &self.ops[*open];
            return Err(HistoryError::in_op(
                index,
                format!("{process} invokes again, expected the end of its {function} (op {open})"),
            ));
        }
        if op.function == Function::Add && op.value.is_none() {
            return Err(HistoryError::in_op(index, op::expected("value", "what to add", None)));
        }
        Ok(index)
    }

    /// Pairs a completion with its invocation.
    fn complete(&self, op: &mut Op) -> Result<usize, HistoryError> {
        let refuse = |why: String| Err(HistoryError::in_op(self.ops.len(), why));
        let Op { process, kind, function, .. } = &*op;
        let Some(&index) = self.open.get(process) else {
            return refuse(format!("`{kind}` of {process}: expected an invocation before it"));
        };
        let invocation = &self.ops[index];
        if *function != invocation.function {
            let asked = &invocation.function;
            return refuse(format!(
                "`{kind}` of a {function}: expected of the {asked} (op {index})"
            ));
        }
        if *function == Function::Add && op.value.is_some() && op.value != invocation.value {
            let asked = invocation.value.as_ref().map(op::told).unwrap_or_default();
            let asked = format!("{asked}, as invoked (op {index})");
            return refuse(op::expected("value", &asked, op.value.as_ref()));
        }
        if *function == Function::Add {
            op.value.clone_from(&invocation.value);
        }
        op.is_final |= invocation.is_final;
        Ok(index)
    }

    /// The completion of an invocation.
    fn ended(&self, invocation: usize) -> Option<usize> {
        (invocation + 1..self.ops.len()).find(|&index| self.invoked[index] == invocation)
    }

    /// The operations of clients, each of which must be for one of the functions.
    fn clients(
        &self,
        functions: &'static [Function],
    ) -> impl Iterator<Item = Result<(usize, &Op), HistoryError>> {
        let clients = self.ops.iter().enumerate().filter(|(_, op)| op.process != Process::Other);
        clients.map(move |(index, op)| {
            if functions.contains(&op.function) {
                return Ok((index, op));
            }
            let names: Vec<String> = functions.iter().map(|f| format!("`{f}`")).collect();
            let (found, names) = (&op.function, names.join(" or "));
            Err(HistoryError::in_op(index, format!("`f` is {found}: expected {names}")))
        })
    }
}

impl HistoryError {
    fn in_op(index: usize, why: impl fmt::Display) -> Self {
        Self { at: 0, message: format!("op {index}: {why}") }
    }

    /// The value of an operation is not what the checker needs.
    fn value(index: usize, op: &Op, what: &str) -> Self {
        Self::in_op(index, op::expected("value", what, op.value.as_ref()))
    }
}

impl fmt::Display for HistoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for HistoryError {}
