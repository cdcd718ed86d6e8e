//! Tells people at a terminal what takes long.

use super::lock;
use std::io::IsTerminal;
use std::sync::{Condvar, Mutex};
use std::time::Duration;

/// What is over sooner is not mentioned.
const PATIENCE: Duration = Duration::from_secs(2);

/// Does some work; if it takes long, a line on the terminal says what it is.
pub fn patiently<R>(what: &str, work: impl FnOnce() -> R) -> R {
    if !std::io::stderr().is_terminal() {
        return work();
    }
    let (over, changed) = (Mutex::new(false), Condvar::new());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let state = lock(&over);
            let waited = changed.wait_timeout_while(state, PATIENCE, |over| !*over);
            if waited.is_ok_and(|(_, timeout)| timeout.timed_out()) {
                eprintln!("clhls: {what}...");
            }
        });
        let result = work();
        *lock(&over) = true;
        changed.notify_all();
        result
    })
}
