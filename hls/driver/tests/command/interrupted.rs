//! Builds that are ended by signals.

use crate::common::{entries, files_below, program, scratch, text};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn start(input: &Path, out: &Path, clock: &str) -> Child {
    program()
        .args(["build", text(input), "--board", "u250", "--clock", clock, "-o", text(out)])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("started")
}

#[test]
fn an_output_is_always_one_build_or_the_other() {
    const KILLS: u32 = 40;
    let (dir, input) = scratch();
    let [out, first, second] = ["out", "first", "second"].map(|n| dir.path().join(n));
    let mut time = Duration::ZERO;
    for (place, clock) in [(&first, "100"), (&second, "200"), (&out, "100")] {
        let begin = Instant::now();
        assert!(start(&input, place, clock).wait().expect("ended").success());
        time = begin.elapsed();
    }
    let whole = [files_below(&first), files_below(&second)];
    assert_ne!(whole[0], whole[1]);
    for k in 0..KILLS {
        let mut child = start(&input, &out, "200");
        std::thread::sleep(time * k / KILLS);
        child.kill().expect("killed or ended");
        child.wait().expect("ended");
        let found = files_below(&out);
        assert!(whole.contains(&found), "kill {k} leaves {} files", found.len());
    }
    // what the killed ones left goes away with the next build
    assert!(start(&input, &out, "100").wait().expect("ended").success());
    assert_eq!(files_below(&out), whole[0]);
    let mut left = entries(dir.path());
    // nothing in it, at least, where a process was killed between making and locking it
    left.retain(|name| !name.starts_with(".clhls-") || !entries(&dir.path().join(name)).is_empty());
    assert_eq!(left, ["first", "k.clir", "out", "second"]);
}

#[test]
fn an_interrupted_command_leaves_nothing() {
    const SIGNALS: u32 = 20;
    let (dir, input) = scratch();
    let out = dir.path().join("out");
    let mut interrupted = 0;
    for k in 0..SIGNALS {
        let mut child = start(&input, &out, "200");
        std::thread::sleep(Duration::from_millis(2 * u64::from(k)));
        let signal = ["-INT", "-TERM", "-HUP"][k as usize % 3];
        let kill = format!("kill {signal} {}", child.id());
        // the process may have ended already
        let _ = Command::new("sh").args(["-c", &kill]).stderr(Stdio::null()).status();
        let status = child.wait().expect("ended");
        interrupted += u32::from(!status.success());
        let mut left = entries(dir.path());
        left.retain(|name| name != "out");
        assert_eq!(left, ["k.clir"], "{signal} after {} ms", 2 * k);
    }
    assert!(interrupted > 0, "no signal came in time");
}

/// `nohup` leaves SIGHUP ignored; the other signals clean up all the same.
#[test]
fn without_hangups_other_signals_leave_nothing() {
    let (dir, input) = scratch();
    let out = dir.path().join("out");
    for k in 0..10 {
        let script = format!(
            "trap '' HUP; exec {} build {} --board u250 -o {}",
            env!("CARGO_BIN_EXE_clhls"),
            text(&input),
            text(&out)
        );
        let mut child = Command::new("sh")
            .args(["-c", &script])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("started");
        std::thread::sleep(Duration::from_millis(3 * k));
        let kill = format!("kill -HUP {0}; kill -TERM {0}", child.id());
        let _ = Command::new("sh").args(["-c", &kill]).stderr(Stdio::null()).status();
        child.wait().expect("ended");
        let mut left = entries(dir.path());
        left.retain(|name| name != "out");
        assert_eq!(left, ["k.clir"], "after {} ms", 3 * k);
    }
}
