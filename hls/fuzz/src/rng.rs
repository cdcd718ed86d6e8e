//! Random numbers.

/// splitmix64, from its seed.
#[derive(Clone, Debug)]
pub struct Rng(pub u64);

impl Rng {
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        base::random::splitmix64(&mut self.0)
    }

    /// A number from 0 to `n` - 1.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// One of some.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Small numbers, powers of two and their neighbours, and anything.
    pub fn number(&mut self) -> u128 {
        let n = u128::from(self.bits());
        match self.below(5) {
            0 => n % 8,
            1 => 1 << (n % 64),
            2 => (1 << (n % 64)) - 1,
            3 => !(n % 8),
            _ => n << 64 | u128::from(self.bits()),
        }
    }
}
