//! Launches kernels that are functions of this program: they leave records in the queue as work-items do, and print what they got.

use family_host::clhls::{Buffer, Device, Kernel, NdRange, Result};
use family_host::{root, root_program_memory};

const BASE: u64 = 0x1000;
const QUEUE: u32 = 64;
const EVENTS: u32 = 1 << 14;
const TABLE: u32 = QUEUE + 64;
const LIST: u32 = TABLE + 32 * EVENTS;
const RECORDS: u32 = LIST + 4 * EVENTS;
const ROOM: u32 = 1 << 20;
const PLAIN: u32 = 0;
const LOCAL: u32 = 1;
const MARKER: u32 = 2;

struct Fake {
    memory: Vec<u8>,
    registers: Vec<u32>,
    ran: u32,
    checksum: u32,
}

/// What work-items do.
impl Fake {
    fn word(&self, at: u32) -> u32 {
        u32::from_le_bytes(*self.memory[at as usize..].first_chunk().unwrap())
    }

    fn put(&mut self, at: u32, value: u32) {
        self.memory[at as usize..][..4].copy_from_slice(&value.to_le_bytes());
    }

    fn note(&mut self, value: u32) {
        self.checksum = self.checksum.wrapping_mul(31).wrapping_add(value);
    }

    fn take_event(&mut self) -> u32 {
        let taken = self.word(QUEUE + 8);
        self.put(QUEUE + 8, taken + 1);
        if taken >= self.word(QUEUE + 16) {
            return 0;
        }
        let index = self.word(LIST + 4 * taken);
        for (place, value) in [(0, 2), (4, 1), (8, 0), (12, 0)] {
            self.put(TABLE + 32 * index + place, value);
        }
        index + 1
    }

    fn set(&mut self, event: u32, status: i32) {
        self.put(TABLE + 32 * (event - 1), status as u32);
    }

    fn release(&mut self, event: u32) {
        self.put(TABLE + 32 * (event - 1) + 4, 0);
    }

    /// One work-item of two dimensions, or 20 in groups of 8; whether there is room.
    fn enqueue(&mut self, site: u32, data: u32, event: u32, waits: &[u32]) -> bool {
        let waits_at = 64 + 8 * [1, 2, 0][site as usize];
        let size = (waits_at + 4 * waits.len() as u32).next_multiple_of(8);
        let (used, plain) = (self.word(QUEUE), site == PLAIN);
        let at = RECORDS + used;
        self.put(QUEUE, used + size);
        if used + size > ROOM {
            return false;
        }
        self.memory[at as usize..][..size as usize].fill(0);
        let other = u32::from(!plain);
        let (dims, global, local) = if plain { (2, 1, 0) } else { (1, 20, 8) };
        let head = [site + 1, size, 0, waits.len() as u32, event, dims, 3, 0, 0, global, 1, 1, local, other, other, 1];
        for (place, value) in (at..).step_by(4).zip(head) {
            self.put(place, value);
        }
        if site == LOCAL {
            self.put(at + 64, data);
        }
        if site != MARKER {
            self.put(at + if site == LOCAL { 72 } else { 64 }, data);
        }
        for (place, wait) in (at + waits_at..).step_by(4).zip(waits) {
            self.put(place, *wait);
        }
        true
    }

    fn root(&mut self, how: u32) {
        match how {
            // events, a marker, and what runs before others
            0 => {
                let [gate, first, marker] = [(); 3].map(|()| self.take_event());
                self.enqueue(PLAIN, 3, 0, &[marker]);
                self.enqueue(MARKER, 0, marker, &[first]);
                self.enqueue(PLAIN, 100, first, &[gate]);
                self.enqueue(LOCAL, 2, 0, &[]);
                self.set(gate, 0);
                [gate, first, marker].into_iter().for_each(|event| self.release(event));
            }
            // all events that there are; the last one is waited for
            1 => {
                let mut last = 0;
                for k in 0..EVENTS {
                    last = self.take_event();
                    self.note(last);
                    if k + 1 < EVENTS {
                        self.release(last);
                    }
                }
                println!("one more: {}", self.take_event());
                self.enqueue(PLAIN, 7, last, &[]);
            }
            // events that are never released
            2 => {
                for _ in 0..5 {
                    self.take_event();
                }
                let event = self.take_event();
                self.enqueue(PLAIN, 8, event, &[]);
            }
            // as many records as there is room for
            3 => {
                while self.word(QUEUE) + 72 + 72 < ROOM {
                    self.enqueue(PLAIN, self.word(QUEUE) / 72, 0, &[]);
                }
                println!("one more: {}", u32::from(self.enqueue(PLAIN, 1, 0, &[0; 100])));
            }
            // a queue that was written over
            4 => {
                let event = self.take_event();
                self.enqueue(PLAIN, 1, event, &[]);
                self.enqueue(PLAIN, 2, 0, &[]);
                self.put(RECORDS + self.word(RECORDS + 4), 77);
            }
            // more local memory than there is
            5 => drop(self.enqueue(LOCAL, 2000, 0, &[])),
            // two commands of an event with an error, one of a command that failed with it
            6 => {
                let [gate, first] = [(); 2].map(|()| self.take_event());
                self.enqueue(PLAIN, 1, first, &[gate]);
                self.enqueue(PLAIN, 2, 0, &[first]);
                self.enqueue(PLAIN, 3, 0, &[]);
                self.set(gate, -9);
            }
            // an event that nobody completes
            7 => {
                let gate = self.take_event();
                self.enqueue(PLAIN, 1, 0, &[gate]);
                self.enqueue(MARKER, 0, 0, &[gate]);
            }
            // times that are wanted at an address
            _ => {
                let first = self.take_event();
                self.put(TABLE + 32 * (first - 1) + 8, BASE as u32 + 16);
                self.enqueue(PLAIN, 1, first, &[]);
            }
        }
    }

    fn run(&mut self, kernel: &Kernel) {
        let first = self.registers[0];
        if kernel.name == "root" {
            return self.root(first);
        }
        self.note(first);
        self.ran += 1;
        if self.ran < 8 {
            let range = &self.registers[kernel.hidden..];
            let (dims, global, offset, local) = (range[0], range[2], range[20], range[8]);
            println!("  {} {first}: {dims} dimensions, {global} items from {offset} on in groups of {local}", kernel.name);
        }
        // 100 and what it enqueues are behind one event
        if first == 100 {
            self.enqueue(PLAIN, 101, 0, &[]);
        }
    }

    /// What is not as it is before a launch.
    fn left_over(&self) -> u32 {
        let header = [0, 8, 16, 20].map(|place| self.word(QUEUE + place));
        let wrong = |k: &u32| {
            let entry = TABLE + 32 * k;
            self.word(LIST + 4 * k) != *k || (self.word(entry + 4) != 0 && self.word(entry) != u32::MAX)
        };
        u32::from(header != [0, 0, EVENTS, 1]) + (0..EVENTS).filter(wrong).count() as u32
    }
}

impl Device for Fake {
    fn write_registers(&mut self, kernel: &Kernel, offset: u32, words: &[u32]) -> Result<()> {
        if offset == 0 {
            self.run(kernel);
        } else {
            self.registers = words.to_vec();
        }
        Ok(())
    }

    fn read_registers(&mut self, _: &Kernel, offset: u32, words: &mut [u32]) -> Result<()> {
        for (i, word) in words.iter_mut().enumerate() {
            *word = if offset == 0 { 2 } else { u32::from(i == 2) };
        }
        Ok(())
    }

    fn allocate(&mut self, _: &Kernel, _: u32, size: usize) -> Result<Buffer> {
        Ok(Buffer { address: BASE, size, handle: 0 })
    }

    fn write(&mut self, buffer: &Buffer, offset: usize, data: &[u8]) -> Result<()> {
        self.memory[(buffer.address - BASE) as usize + offset..][..data.len()].copy_from_slice(data);
        Ok(())
    }

    fn read(&mut self, buffer: &Buffer, offset: usize, data: &mut [u8]) -> Result<()> {
        data.copy_from_slice(&self.memory[(buffer.address - BASE) as usize + offset..][..data.len()]);
        Ok(())
    }

    fn free(&mut self, _: Buffer) {}
}

fn main() -> Result<()> {
    // memory that something else has been in
    let memory = vec![0xff; (RECORDS + ROOM) as usize];
    let mut fake = Fake { memory, registers: vec![], ran: 0, checksum: 0 };
    let program = root_program_memory(&mut fake)?;
    for how in [0, 0, 1, 1, 2, 1, 3, 3, 4, 0, 5, 0, 6, 7, 0, 8, 2, 0] {
        (fake.ran, fake.checksum) = (0, 0);
        println!("launch {how}");
        let result = root(&mut fake, &NdRange::linear(1), how, &program, None);
        if let Err(error) = &result {
            println!("{}: {error}", error.status as i32);
        }
        let items = result.map_or(1 + u64::from(fake.ran), |counters| counters.work_items);
        println!("ran {}, checksum {}, {items} work-items, {} left over", fake.ran, fake.checksum, fake.left_over());
        if how == 8 {
            let times = [16, 24, 28].map(|at| fake.word(at));
            println!("times: {}", u32::from(times[0] < 1_000_000_000 && times[1] >= times[0] && times[2] == 0));
        }
    }
    Ok(())
}
