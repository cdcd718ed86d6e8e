//! Mip levels: their sizes, and where they stand.
//!
//! Level l of an image of w columns begins at column l + 2w - (2w >> l) of each row, behind the levels before it; its rows
//! and slices have the same numbers as those of the first level. So a level changes the column of a texel alone, by two
//! shifts and sums of small numbers, and nothing about rows and slices: `docs/images.md` says what that costs.

/// Most mip levels of an image: as many as the levels of detail of samplers can tell apart.
pub const MAX_LEVELS: u32 = 16;

/// The size of a level along a coordinate: halved for each, at least 1. Layers of arrays are not halved.
pub fn size(first: u32, level: u32) -> u32 {
    first.checked_shr(level).unwrap_or(0).max(1)
}

/// The column of a row at which a level begins, of an image whose first level has `width` columns.
pub fn column(width: u32, level: u32) -> u32 {
    level + 2 * width - (2 * width).checked_shr(level).unwrap_or(0)
}

/// Columns of all levels together, with what is between them.
pub fn columns(width: u32, levels: u32) -> u32 {
    let last = levels.max(1) - 1;
    column(width, last) + size(width, last)
}

/// Most levels that an image of these sizes has: down to one texel.
pub fn most(sizes: impl IntoIterator<Item = u32>) -> u32 {
    sizes.into_iter().max().unwrap_or(1).max(1).ilog2() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_stand_behind_one_another() {
        for width in 1..300 {
            for level in 0..MAX_LEVELS {
                assert!(column(width, level) + size(width, level) <= column(width, level + 1));
            }
            assert_eq!(column(width, 0), 0);
            assert_eq!(columns(width, 1), width);
        }
        assert_eq!([0, 1, 2, 3, 4, 5].map(|l| column(5, l)), [0, 6, 10, 12, 14, 15]);
    }

    #[test]
    fn there_are_levels_down_to_one_texel() {
        assert_eq!(most([1, 1, 1]), 1);
        assert_eq!(most([5, 8, 1]), 4);
        assert_eq!(size(8, 3), 1);
        assert_eq!(size(5, 40), 1);
    }
}
