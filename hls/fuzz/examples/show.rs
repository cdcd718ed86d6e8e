//! Prints random programs: `cargo run -p clhls-fuzz --example show FIRST COUNT [halves] [cl20] [wide] [small]`; with `ir FIRST` a kernel
//! that is made as IR.

use fuzz::{Settings, program};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [ir, seed] = &words[..]
        && ir == "ir"
        && let Ok(seed) = seed.parse()
    {
        print!("{}", fuzz::ir_kernels::module(seed));
        return;
    }
    let number = |k: usize, default| words.get(k).and_then(|w| w.parse().ok()).unwrap_or(default);
    let has = |name: &str| words.iter().any(|w| w == name);
    let settings = Settings {
        halves: has("halves"),
        cl20: has("cl20"),
        wide: has("wide"),
        small: has("small"),
    };
    let (first, count) = (number(0, 0), number(1, 1));
    let all: Vec<_> =
        (first..first + count).map(|seed| program(seed, &format!("k{seed}"), settings)).collect();
    print!("{}", fuzz::tree::module(&all));
}
