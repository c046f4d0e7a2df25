//! The scenarios that ship: files, embedded as they are.

use super::Scenario;

/// A scenario that ships.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Builtin {
    /// Its name.
    pub name: &'static str,
    /// Its file.
    pub text: &'static str,
}

macro_rules! builtin {
    ($($name:literal),* $(,)?) => {
        &[$(Builtin {
            name: $name,
            text: include_str!(concat!("../../scenarios/", $name, ".toml")),
        }),*]
    };
}

/// The scenarios that ship, in the order in which they teach.
pub const BUILTIN: &[Builtin] = builtin![
    "hello-clocks",
    "lww-window-trap",
    "lww-under-skew",
    "cloud-ntp-causality",
    "skew-ramp",
    "five-regions",
    "seq-burst",
    "coarse-clock",
    "jepsen-strobe",
    "leap-second",
    "vm-clone",
    "shared-node-id",
    "step-back-duplicates",
    "restart-amnesia",
    "split-brain-cart",
    "observe-vs-bump",
    "mixed-drift-codes",
    "hlc-bounds",
    "vector-clock-growth",
    "asymmetric-ntp",
    "truetime-commit-wait",
    "mobile-offline",
    "node-id-birthday",
    "roaming-clients",
];

impl Builtin {
    /// The scenario with this name.
    ///
    /// # Errors
    ///
    /// The nearest name that exists.
    ///
    /// # Examples
    ///
    /// ```
    /// use guid_sim::Builtin;
    ///
    /// assert!(Builtin::named("hello-clocks").is_ok());
    /// assert_eq!(Builtin::named("hello-clock").unwrap_err(), ": did you mean `hello-clocks`?");
    /// ```
    pub fn named(name: &str) -> Result<&'static Self, String> {
        let names: Vec<&str> = BUILTIN.iter().map(|builtin| builtin.name).collect();
        let found = BUILTIN.iter().find(|builtin| builtin.name == name);
        found.ok_or_else(|| super::reader::hint(name, &names))
    }

    /// Reads it. It is tested that it reads.
    ///
    /// # Errors
    ///
    /// None, for the files that ship.
    pub fn scenario(&self) -> Result<Scenario, super::ScenarioError> {
        Scenario::parse(self.text)
    }
}
