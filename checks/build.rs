//! Says that this build of guid-core is the one for the model checker.

fn main() {
    println!("cargo::rustc-cfg=guid_model");
    // Features of guid-core that no model needs are off here, and their names no mistake.
    println!("cargo::rustc-check-cfg=cfg(feature, values(any()))");
}
