//! Two copies of a shopping list change apart from each other, and meet again.

use std::error::Error;

use guid_core::{ManualClock, NodeId};
use guid_crdt::{OrSet, Replica};

type List = Replica<OrSet<&'static str>, ManualClock>;

fn show(what: &str, list: &List) {
    let items: Vec<&str> = list.state().iter().copied().collect();
    println!("{what:<22} {items:?}");
}

fn main() -> Result<(), Box<dyn Error>> {
    // The phone's clock is ten seconds behind: sets do not mind.
    let mut home = List::new(NodeId::new(1), ManualClock::new(1_767_225_600_000_000_000));
    let mut phone = List::new(NodeId::new(2), ManualClock::new(1_767_225_590_000_000_000));

    home.write(|list, dot| list.insert(dot, "bread"))?;
    home.write(|list, dot| list.insert(dot, "milk"))?;
    phone.join(home.state())?;
    show("at home and on the way", &phone);

    // Offline: the phone takes the milk off, home asks for milk again and for tea.
    phone.write(|list, dot| list.remove(dot, &"milk"))?;
    home.write(|list, dot| list.insert(dot, "milk"))?;
    home.write(|list, dot| list.insert(dot, "tea"))?;
    show("at home", &home);
    show("on the way", &phone);

    // They meet. The removal covered the milk it had seen, not the one asked for since.
    home.join(phone.state())?;
    phone.join(home.state())?;
    show("together", &home);
    assert_eq!(home.state(), phone.state());
    Ok(())
}
