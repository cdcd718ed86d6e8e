//! Families of launches on a device whose kernels are functions of the test.

use super::*;
use abi::enqueue::{Captured, EVENT_TABLE, FREE_LIST, QUEUE_BYTES, RECORDS, event, header, record};
use abi::{Access, Arg, ArgKind, ImageDescriptor, ImageFormat, PipeDescriptor, SubGroups};

/// A kernel: it sees its name, its data and the queue.
type Kernel = fn(&mut Device, &str, &[u8]);

struct Device {
    queue: Vec<u8>,
    kernel: Kernel,
    /// Kernels in the order in which they ran, with the first byte of their data.
    ran: Vec<(String, u8)>,
    ranges: Vec<ResolvedRange>,
    /// What the last one got behind its data.
    others: Vec<RawArg>,
    written: Vec<(u64, usize)>,
}

impl Parent for Device {
    fn signature(&self, kernel: &str) -> Result<KernelSignature, Error> {
        let arg = |index, kind, size| Arg {
            index,
            name: "a".into(),
            type_name: String::new(),
            kind,
            element: None,
            size,
            align: 1,
            offset: None,
            access: Access::None,
            port: None,
            restrict: false,
            local_capacity: Some(64),
            packet_size: None,
            format: None,
            stream: None,
            channel: false,
        };
        let mut args = vec![arg(0, ArgKind::Scalar, 4)];
        if kernel == "local" {
            args.push(arg(1, ArgKind::LocalPtr, 0));
        }
        if kernel == "captures" {
            args.push(arg(1, ArgKind::Image, 48));
            args.push(Arg { packet_size: Some(4), ..arg(2, ArgKind::Pipe, 16) });
        }
        Ok(KernelSignature {
            name: kernel.into(),
            address_bits: 64,
            args,
            reqd_work_group_size: None,
            max_work_group_size: 16,
            sub_groups: (kernel == "divided").then_some(SubGroups { count: 1, size: 8 }),
            work_group_size_hint: None,
            non_uniform: true,
            simd: 1,
            simd_group_rows: false,
            compute_units: 1,
            enqueued: true,
            enqueues: vec![],
        })
    }

    fn launch_child(
        &mut self,
        kernel: &str,
        range: &ResolvedRange,
        args: &[RawArg],
    ) -> Result<LaunchStats, Error> {
        let Some(RawArg::Value(data)) = args.first() else { panic!("no data") };
        let data = data.clone();
        self.ran.push((kernel.to_owned(), data[0]));
        self.ranges.push(*range);
        self.others = args[1..].to_vec();
        (self.kernel)(self, kernel, &data);
        Ok(LaunchStats { work_items: range.work_items() as u64, ..LaunchStats::default() })
    }

    fn queue(&mut self) -> Result<&mut [u8], Error> {
        Ok(&mut self.queue)
    }

    fn write_memory(&mut self, address: u64, bytes: &[u8]) -> Result<(), Error> {
        self.written.push((address, bytes.len()));
        Ok(())
    }
}

/// What a work-item does: the protocol of `abi::enqueue`.
impl Device {
    fn word(&self, at: u64) -> u32 {
        records::word(&self.queue, at as u32)
    }

    fn put(&mut self, at: u64, value: u32) {
        self.queue[at as usize..][..4].copy_from_slice(&value.to_le_bytes());
    }

    fn entry(event: u32) -> u64 {
        EVENT_TABLE + u64::from(event - 1) * u64::from(event::BYTES)
    }

    /// A new event: its number and 1, or 0 if there is none.
    fn take_event(&mut self) -> u32 {
        let taken = self.word(header::TAKEN.into());
        self.put(header::TAKEN.into(), taken + 1);
        if taken >= self.word(header::FREE.into()) {
            return 0;
        }
        let event = self.word(FREE_LIST + 4 * u64::from(taken)) + 1;
        let entry = Self::entry(event);
        self.put(entry + u64::from(event::STATUS), event::SUBMITTED as u32);
        self.put(entry + u64::from(event::REFERENCES), 1);
        self.put(entry + u64::from(event::PROFILING), 0);
        event
    }

    fn set(&mut self, event: u32, status: i32) {
        self.put(Self::entry(event) + u64::from(event::STATUS), status as u32);
    }

    fn release(&mut self, event: u32) {
        self.put(Self::entry(event) + u64::from(event::REFERENCES), 0);
    }

    /// Enqueues at a site with data of four bytes; `local` bytes of local memory if it has such an argument.
    fn enqueue(&mut self, site: usize, data: u8, waits: &[u32], event: u32) {
        let (data_at, waits_at) = sites()[site].places();
        let size = (waits_at + 4 * waits.len() as u32).next_multiple_of(8);
        let at = RECORDS + u64::from(self.word(header::RECORDS.into()));
        self.put(header::RECORDS.into(), (at - RECORDS) as u32 + size);
        let fields = [
            (record::SITE, site as u32 + 1),
            (record::BYTES, size),
            (record::WAITS, waits.len() as u32),
            (record::EVENT, event),
            (record::WORK_DIM, 1),
            (record::OFFSET, 3),
            (record::GLOBAL, 20),
            (record::LOCAL, 8),
            (data_at, data.into()),
        ];
        for (place, value) in fields {
            self.put(at + u64::from(place), value);
        }
        if sites()[site].locals > 0 {
            self.put(at + u64::from(record::FIXED), 32);
        }
        for (captured, place) in sites()[site].captured_places() {
            let bytes = match captured {
                Captured::Image => image().to_bytes().to_vec(),
                Captured::Pipe => pipe().to_bytes().to_vec(),
            };
            self.queue[(at + u64::from(place)) as usize..][..bytes.len()].copy_from_slice(&bytes);
        }
        for (k, wait) in waits.iter().enumerate() {
            self.put(at + u64::from(waits_at) + 4 * k as u64, *wait);
        }
    }
}

fn sites() -> Vec<EnqueueSite> {
    let site = |kernel: Option<&str>, locals| EnqueueSite {
        kernel: kernel.map(str::to_owned),
        locals,
        data: if kernel.is_some() { 4 } else { 0 },
        captured: vec![],
        source: "k.cl:1:2".into(),
    };
    let captured = vec![Captured::Image, Captured::Pipe];
    let captures = EnqueueSite { captured, ..site(Some("captures"), 0) };
    let divided = site(Some("divided"), 0);
    vec![site(Some("plain"), 0), site(Some("local"), 1), site(None, 0), captures, divided]
}

fn image() -> ImageDescriptor {
    let format = ImageFormat::from_names("rgba", "unorm8").expect("there is such a format");
    ImageDescriptor { texels: 0x1240, ..ImageDescriptor::packed(format, [5, 3, 1]) }
}

fn pipe() -> PipeDescriptor {
    let pipe = PipeDescriptor::new(9, 4).expect("there are such pipes");
    PipeDescriptor { address: 0x8000, ..pipe }
}

fn nothing(_: &mut Device, _: &str, _: &[u8]) {}

/// Launches a kernel that does `root`, whose children do `kernel`.
fn run(root: fn(&mut Device), kernel: Kernel) -> (Device, Result<LaunchStats, Error>) {
    let queue = vec![0; QUEUE_BYTES as usize];
    let mut device =
        Device { queue, kernel, ran: vec![], ranges: vec![], others: vec![], written: vec![] };
    let result = launch_family(&mut device, &sites(), 7, |device| {
        root(device);
        Ok(LaunchStats { work_items: 1, ..LaunchStats::default() })
    });
    (device, result)
}

fn numbers(device: &Device) -> Vec<u8> {
    device.ran.iter().map(|(_, data)| *data).collect()
}

/// 20 work-items in groups of 8: one sub-group of 8 each, of 4 in the last.
#[test]
fn children_have_the_sub_groups_that_they_ask_for() {
    let (device, result) = run(|d| d.enqueue(4, 1, &[], 0), nothing);
    result.expect("runs");
    assert_eq!(device.ran, [("divided".into(), 1)]);
    // in groups of 9
    let wrong = |d: &mut Device| {
        d.enqueue(4, 1, &[], 0);
        d.put(RECORDS + u64::from(record::LOCAL), 9);
    };
    let (_, result) = run(wrong, nothing);
    let message = result.expect_err("two sub-groups").message;
    let why = "kernel `divided` requires work-groups of 1 sub-group of 8 work-items";
    assert!(message.contains(why) && message.contains("k.cl:1:2"), "{message}");
}

#[test]
fn children_run_in_order_with_what_they_were_given() {
    let root = |d: &mut Device| {
        assert_eq!(d.word(header::DEFAULT_QUEUE.into()), 7);
        d.enqueue(0, 1, &[], 0);
        d.enqueue(1, 2, &[], 0);
    };
    // the first enqueues one more, which comes behind the second
    let kernel = |d: &mut Device, _: &str, data: &[u8]| {
        if data[0] == 1 {
            d.enqueue(0, 3, &[], 0);
        }
    };
    let (device, result) = run(root, kernel);
    let stats = result.expect("runs");
    assert_eq!(numbers(&device), [1, 2, 3]);
    assert_eq!(device.ran[1].0, "local");
    let range = device.ranges[0];
    assert_eq!(
        (range.offset[0], range.global[0], range.local[0], range.num_groups[0]),
        (3, 20, 8, 3)
    );
    assert_eq!((stats.work_items, stats.enqueued), (61, 3));
    assert!(device.queue[RECORDS as usize..].iter().all(|b| *b == 0), "the queue is empty");
}

#[test]
fn images_and_pipes_that_were_captured_are_arguments() {
    let (device, result) = run(|d| d.enqueue(3, 1, &[], 0), nothing);
    result.expect("runs");
    assert_eq!(device.others, [RawArg::Image(image()), RawArg::Pipe(pipe())]);
    // a pipe with other packets
    let other = |d: &mut Device| {
        d.enqueue(3, 1, &[], 0);
        let (_, place) = sites()[3].captured_places().nth(1).expect("the pipe");
        d.put(RECORDS + u64::from(place) + 12, 8);
    };
    let (_, result) = run(other, nothing);
    assert_eq!(result.expect_err("other packets").kind, ErrorKind::ArgValue);
    // the descriptor of no image
    let damaged = |d: &mut Device| {
        d.enqueue(3, 1, &[], 0);
        let (_, place) = sites()[3].captured_places().next().expect("the image");
        d.put(RECORDS + u64::from(place) + 32, 0);
    };
    let (_, result) = run(damaged, nothing);
    assert!(result.expect_err("damaged").message.contains("damaged"));
}

#[test]
fn commands_wait_for_events_and_for_what_those_enqueued() {
    let root = |d: &mut Device| {
        let [gate, first, marker] = [(); 3].map(|()| d.take_event());
        d.enqueue(0, 3, &[marker], 0);
        d.enqueue(2, 0, &[first], marker);
        d.enqueue(0, 1, &[gate], first);
        d.set(gate, 0);
        for event in [gate, first, marker] {
            d.release(event);
        }
    };
    let kernel = |d: &mut Device, _: &str, data: &[u8]| {
        if data[0] == 1 {
            d.enqueue(0, 2, &[], 0);
        }
    };
    let (device, result) = run(root, kernel);
    result.expect("runs");
    assert_eq!(numbers(&device), [1, 2, 3]);
}

#[test]
fn an_error_of_an_event_ends_what_waits_for_it() {
    let root = |d: &mut Device| {
        let [gate, first] = [(); 2].map(|()| d.take_event());
        d.enqueue(0, 1, &[gate], first);
        d.enqueue(0, 2, &[first], 0);
        d.enqueue(0, 3, &[], 0);
        d.set(gate, -5);
    };
    let (device, result) = run(root, nothing);
    assert_eq!(numbers(&device), [3], "what does not wait runs");
    let error = result.expect_err("a child was ended");
    assert_eq!(error.kind, ErrorKind::Execution);
    let text = "kernel `plain`, enqueued at k.cl:1:2, was not run: an event that it waits for has the status -5";
    assert_eq!(error.message, text);
}

#[test]
fn commands_that_wait_for_ever_are_told() {
    let root = |d: &mut Device| {
        let gate = d.take_event();
        d.enqueue(0, 1, &[gate], 0);
        d.enqueue(0, 2, &[gate], 0);
    };
    let (device, result) = run(root, nothing);
    assert!(device.ran.is_empty());
    let text = "kernel `plain`, enqueued at k.cl:1:2, waits for an event that nobody completes (1 more wait)";
    assert_eq!(result.expect_err("stuck").message, text);
}

#[test]
fn profiling_is_written_where_it_is_wanted() {
    let root = |d: &mut Device| {
        let event = d.take_event();
        d.enqueue(0, 1, &[], event);
        d.put(Device::entry(event) + u64::from(event::PROFILING), 0x1230);
        d.enqueue(0, 2, &[event], 0);
    };
    // what comes later finds the times in the table
    let kernel = |d: &mut Device, _: &str, data: &[u8]| {
        if data[0] == 2 {
            let entry = Device::entry(1);
            assert_eq!(d.word(entry + u64::from(event::STATUS)), 0);
            let times = [0, 8].map(|k| d.word(entry + u64::from(event::TIMES) + k));
            assert!(times[1] >= times[0]);
        }
    };
    let (device, result) = run(root, kernel);
    result.expect("runs");
    assert_eq!(device.written, [(0x1230, 16)]);
}

#[test]
fn events_are_used_again_when_nobody_refers_to_them() {
    // each command takes two events. That of its successor is in use until all that follow have run, the other is lost
    let root = |d: &mut Device| {
        let event = d.take_event();
        d.enqueue(0, 100, &[], event);
        d.release(event);
    };
    let kernel = |d: &mut Device, _: &str, data: &[u8]| {
        let free = d.word(header::FREE.into());
        assert!(free >= abi::enqueue::EVENTS - 104, "{free}");
        let [event, lost] = [(); 2].map(|()| d.take_event());
        assert!(event > 0 && event != lost);
        d.release(lost);
        if data[0] > 0 {
            d.enqueue(0, data[0] - 1, &[], event);
        }
        d.release(event);
    };
    let (device, result) = run(root, kernel);
    result.expect("runs");
    assert_eq!(device.ran.len(), 101);
}

#[test]
fn a_queue_that_was_written_over_is_an_error() {
    let root = |d: &mut Device| {
        d.enqueue(0, 1, &[], 0);
        d.put(RECORDS, 99);
    };
    let (_, result) = run(root, nothing);
    assert!(result.expect_err("damaged").message.contains("damaged"));
    let root = |d: &mut Device| {
        d.enqueue(0, 1, &[], 0);
        d.put(RECORDS + u64::from(record::BYTES), 4096);
    };
    assert!(run(root, nothing).1.is_err());
}

#[test]
fn launches_that_are_not_possible_name_their_place() {
    let root = |d: &mut Device| {
        d.enqueue(1, 1, &[], 0);
        d.put(RECORDS + u64::from(record::FIXED), 65);
    };
    let (_, result) = run(root, nothing);
    let error = result.expect_err("too much local memory");
    assert_eq!(error.kind, ErrorKind::ArgSize);
    assert!(error.message.ends_with("\nkernel `local`, enqueued at k.cl:1:2"), "{}", error.message);
}

#[test]
fn what_did_not_fit_ends_the_records() {
    let root = |d: &mut Device| {
        d.enqueue(0, 1, &[], 0);
        // another was begun that has no room
        d.put(header::RECORDS.into(), abi::enqueue::RECORD_BYTES as u32 + 8);
    };
    let (device, result) = run(root, nothing);
    result.expect("the function has given an error");
    assert_eq!(numbers(&device), [1]);
}
