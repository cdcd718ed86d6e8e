//! Commands that read, write and copy boxes of up to three dimensions inside buffers.

use super::arguments::{Submission, WaitList};
use super::buffer::{check_readable, check_writable, find_buffer, queue_and_buffer};
use super::functions;
use crate::core::Status;
use crate::core::memory::Memory;
use crate::sys::Ptr;
use crate::sys::constants::*;
use crate::sys::types::{cl_command_queue, cl_event, cl_mem};
use std::ffi::c_void;
use std::sync::Arc;

/// Where a box begins in memory, and the distance of its rows and slices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Layout {
    start: usize,
    row_pitch: usize,
    slice_pitch: usize,
}

/// Bytes of a row, rows of a slice, slices.
type Region = [usize; 3];

fn triple(pointer: Ptr<usize>) -> Status<[usize; 3]> {
    let values = pointer.array(3).ok_or(CL_INVALID_VALUE)?;
    Ok([values[0], values[1], values[2]])
}

impl Layout {
    /// A layout with pitches filled in where they are 0.
    fn new(origin: [usize; 3], region: Region, row: usize, slice: usize) -> Status<Self> {
        let row_pitch = if row == 0 { region[0] } else { row };
        let whole = row_pitch.checked_mul(region[1]).ok_or(CL_INVALID_VALUE)?;
        let slice_pitch = if slice == 0 { whole } else { slice };
        if row_pitch < region[0] || slice_pitch < whole || !slice_pitch.is_multiple_of(row_pitch) {
            return Err(CL_INVALID_VALUE);
        }
        let start = || {
            let slices = origin[2].checked_mul(slice_pitch)?;
            let rows = origin[1].checked_mul(row_pitch)?;
            slices.checked_add(rows)?.checked_add(origin[0])
        };
        Ok(Layout { start: start().ok_or(CL_INVALID_VALUE)?, row_pitch, slice_pitch })
    }

    /// First byte after the box.
    fn end(&self, region: Region) -> Option<usize> {
        let slices = (region[2] - 1).checked_mul(self.slice_pitch)?;
        let rows = (region[1] - 1).checked_mul(self.row_pitch)?;
        self.start.checked_add(slices)?.checked_add(rows)?.checked_add(region[0])
    }

    /// The error of a box that is not inside a buffer.
    fn check(&self, region: Region, memory: &Memory) -> Status {
        let inside = self.end(region).is_some_and(|end| end <= memory.size);
        if inside { Ok(()) } else { Err(CL_INVALID_VALUE) }
    }

    fn row(&self, y: usize, z: usize) -> usize {
        self.start + y * self.row_pitch + z * self.slice_pitch
    }
}

fn copy(to: (Ptr<c_void>, Layout), from: (Ptr<c_void>, Layout), region: Region) {
    for z in 0..region[2] {
        for y in 0..region[1] {
            let source = from.0.offset(from.1.row(y, z));
            to.0.offset(to.1.row(y, z)).copy_from(source, region[0]);
        }
    }
}

/// Whether two boxes with the same pitches in one memory have a byte in common.
fn overlap(a: Layout, b: Layout, region: Region) -> bool {
    let (first, second) = if a.start <= b.start { (a, b) } else { (b, a) };
    let distance = second.start - first.start;
    // a byte of the second box is `distance` behind the same byte of the first one: as many rows and slices, and
    // bytes either forward or, from a row or slice further on, back
    let in_rows = |distance: usize| {
        let (rows, bytes) = (distance / a.row_pitch, distance % a.row_pitch);
        let back = a.row_pitch - bytes;
        rows < region[1] && bytes < region[0] || rows + 1 < region[1] && back < region[0]
    };
    let (slices, rest) = (distance / a.slice_pitch, distance % a.slice_pitch);
    slices < region[2] && in_rows(rest) || slices + 1 < region[2] && in_rows(a.slice_pitch - rest)
}

fn region_of(pointer: Ptr<usize>) -> Status<Region> {
    let region = triple(pointer)?;
    if region.contains(&0) { Err(CL_INVALID_VALUE) } else { Ok(region) }
}

functions! {
    fn clEnqueueReadBufferRect(
        queue: cl_command_queue,
        buffer: cl_mem,
        blocking: u32,
        buffer_origin: Ptr<usize>,
        host_origin: Ptr<usize>,
        region: Ptr<usize>,
        buffer_row_pitch: usize,
        buffer_slice_pitch: usize,
        host_row_pitch: usize,
        host_slice_pitch: usize,
        target: Ptr<c_void>,
        count: u32,
        list: Ptr<cl_event>,
        event: Ptr<cl_event>,
    ) {
        let (queue, buffer) = queue_and_buffer(queue, buffer)?;
        let region = region_of(region)?;
        let from = Layout::new(triple(buffer_origin)?, region, buffer_row_pitch, buffer_slice_pitch)?;
        let to = Layout::new(triple(host_origin)?, region, host_row_pitch, host_slice_pitch)?;
        from.check(region, &buffer)?;
        if target.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        let wait = WaitList { count, list }.events(&queue.context)?;
        check_readable(&buffer)?;
        let submission = Submission { queue, wait, event };
        submission.enqueue_blocking(CL_COMMAND_READ_BUFFER_RECT, blocking, Box::new(move |_| {
            copy((target, to), (buffer.pointer(0), from), region);
            Ok(())
        }))
    }

    fn clEnqueueWriteBufferRect(
        queue: cl_command_queue,
        buffer: cl_mem,
        blocking: u32,
        buffer_origin: Ptr<usize>,
        host_origin: Ptr<usize>,
        region: Ptr<usize>,
        buffer_row_pitch: usize,
        buffer_slice_pitch: usize,
        host_row_pitch: usize,
        host_slice_pitch: usize,
        source: Ptr<c_void>,
        count: u32,
        list: Ptr<cl_event>,
        event: Ptr<cl_event>,
    ) {
        let (queue, buffer) = queue_and_buffer(queue, buffer)?;
        let region = region_of(region)?;
        let to = Layout::new(triple(buffer_origin)?, region, buffer_row_pitch, buffer_slice_pitch)?;
        let from = Layout::new(triple(host_origin)?, region, host_row_pitch, host_slice_pitch)?;
        to.check(region, &buffer)?;
        if source.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        let wait = WaitList { count, list }.events(&queue.context)?;
        check_writable(&buffer)?;
        let submission = Submission { queue, wait, event };
        submission.enqueue_blocking(CL_COMMAND_WRITE_BUFFER_RECT, blocking, Box::new(move |_| {
            copy((buffer.pointer(0), to), (source, from), region);
            Ok(())
        }))
    }

    fn clEnqueueCopyBufferRect(
        queue: cl_command_queue,
        source: cl_mem,
        target: cl_mem,
        source_origin: Ptr<usize>,
        target_origin: Ptr<usize>,
        region: Ptr<usize>,
        source_row_pitch: usize,
        source_slice_pitch: usize,
        target_row_pitch: usize,
        target_slice_pitch: usize,
        count: u32,
        list: Ptr<cl_event>,
        event: Ptr<cl_event>,
    ) {
        let (queue, source) = queue_and_buffer(queue, source)?;
        let target = find_buffer(target)?;
        if !Arc::ptr_eq(&queue.context, &target.context) {
            return Err(CL_INVALID_CONTEXT);
        }
        let region = region_of(region)?;
        let from = Layout::new(triple(source_origin)?, region, source_row_pitch, source_slice_pitch)?;
        let to = Layout::new(triple(target_origin)?, region, target_row_pitch, target_slice_pitch)?;
        from.check(region, &source)?;
        to.check(region, &target)?;
        let wait = WaitList { count, list }.events(&queue.context)?;
        if Arc::ptr_eq(&source, &target) {
            if (from.row_pitch, from.slice_pitch) != (to.row_pitch, to.slice_pitch) {
                return Err(CL_INVALID_VALUE);
            }
            if overlap(from, to, region) {
                return Err(CL_MEM_COPY_OVERLAP);
            }
        }
        let submission = Submission { queue, wait, event };
        submission.enqueue(CL_COMMAND_COPY_BUFFER_RECT, Box::new(move |_| {
            copy((target.pointer(0), to), (source.pointer(0), from), region);
            Ok(())
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn bytes(layout: Layout, region: Region) -> BTreeSet<usize> {
        let rows = (0..region[2]).flat_map(|z| (0..region[1]).map(move |y| (y, z)));
        rows.flat_map(|(y, z)| layout.row(y, z)..layout.row(y, z) + region[0]).collect()
    }

    #[test]
    fn boxes_overlap_when_they_share_a_byte() {
        let (row_pitch, slice_pitch) = (5, 15);
        for region in [[3, 2, 2], [5, 3, 1], [1, 1, 3], [4, 3, 2], [5, 3, 3]] {
            for start in 0..60 {
                let a = Layout { start: 7, row_pitch, slice_pitch };
                let b = Layout { start, row_pitch, slice_pitch };
                let shared = !bytes(a, region).is_disjoint(&bytes(b, region));
                assert_eq!(overlap(a, b, region), shared, "{region:?} at {start}");
            }
        }
    }

    #[test]
    fn pitches_have_to_hold_a_box() {
        let layout = |row, slice| Layout::new([1, 2, 3], [4, 5, 6], row, slice);
        let full = Layout { start: 1 + 2 * 4 + 3 * 20, row_pitch: 4, slice_pitch: 20 };
        assert_eq!(layout(0, 0), Ok(full));
        assert_eq!(layout(3, 0), Err(CL_INVALID_VALUE));
        assert_eq!(layout(8, 32), Err(CL_INVALID_VALUE));
        assert_eq!(layout(8, 41), Err(CL_INVALID_VALUE));
        assert_eq!(layout(8, 48).map(|l| l.start), Ok(1 + 16 + 144));
        assert_eq!(full.end([4, 5, 6]), Some(69 + 5 * 20 + 4 * 4 + 4));
    }
}
