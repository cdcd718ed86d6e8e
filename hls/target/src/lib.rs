//! Device families with operator delays and areas, and boards, read from data files.
