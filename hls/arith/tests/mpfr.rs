#[test]
fn t() { let f = rug::Float::with_val(53, 2).sqrt(); assert!(f > 1.4); }
