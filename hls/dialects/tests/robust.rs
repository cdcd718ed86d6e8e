//! Texts that are cut off or shuffled come to a translation or a problem, never to a panic.

use base::random::splitmix64;
use dialects::translate;

const SAMPLE: &str = r##"# 1 "a b.cl"
#pragma OPENCL EXTENSION cl_intel_channels : enable
#define W (2 * 4)
typedef struct __attribute__((packed)) { char a; int b; } pair_t;
channel pair_t a __attribute__((depth(W << 1))), b[W][2];
static channel __attribute__((io("é port"))) unsigned char c __attribute((depth(0x10UL)));
pipe int p[4] __attribute__((xcl_reqd_pipe_depth(32)));
__attribute__((max_global_work_dim(0), autorun)) __attribute__((num_compute_units(1, 2)))
# 12 "b.h" 2
kernel void f(global int *o, read_only pipe int q) {
  /* é */ int x[4] __attribute__((numbanks(4), bankwidth(8))) = { '\'', "\"é"[0] };
#pragma ivdep safelen(W)
#pragma unroll W
  l: __attribute__((opencl_unroll_hint(2), xcl_pipeline_loop(1))) m: for (int i = 0; i < 4; i++) {
    write_channel_intel(b[read_channel_intel(a).b][1], (pair_t){1, 2});
    write_pipe_block(p[i], &x[i]); read_pipe(p[0], x); read_pipe(p[1], r, 0, x);
    if (i ? (x)[1] : 2) do x[0]++; while (x[0] < .5e+3f);
  }
}
"##;

/// Cuts a text before and behind each word.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = vec![];
    let mut start = 0;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        if !(c.is_alphanumeric() && before.is_alphanumeric()) {
            pieces.push(&text[start..at]);
            start = at;
        }
        before = c;
    }
    pieces.push(&text[start..]);
    pieces
}

/// What is translated keeps its lines.
fn check(text: &str) {
    if let Ok(translation) = translate(text)
        && let Some(new) = translation.text
    {
        let own = new.rsplit_once("# 1 \"<input>\"\n").map_or(new.as_str(), |(_, own)| own);
        let prelude = include_str!("../src/prelude.h").lines().count() + 3;
        let lines = own.matches('\n').count();
        let before = text.matches('\n').count();
        assert!((before..=before + prelude).contains(&lines), "{before} became {lines}:\n{text}");
    }
}

#[test]
fn texts_that_are_cut_off() {
    for (at, _) in SAMPLE.char_indices() {
        check(&SAMPLE[..at]);
        check(&SAMPLE[at..]);
    }
}

#[test]
fn texts_that_are_shuffled() {
    let mut state = 1;
    for _ in 0..3000 {
        let mut pieces = pieces(SAMPLE);
        let count = pieces.len() as u64;
        let mut any = || (splitmix64(&mut state) % count) as usize;
        for _ in 0..1 + any() % 20 {
            let (one, other) = (any(), any());
            match any() % 3 {
                0 => pieces.swap(one, other),
                1 => pieces[one] = "",
                _ => pieces[one] = pieces[other],
            }
        }
        check(&pieces.concat());
    }
}
