# What people and CI run. `make` alone is what CI runs.
#
#   make demo        set up, build, compile an image filter for u250, simulate it, check the result
#   make test        set up and run every test
#   make help        the other targets

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := all

CARGO   ?= cargo
JOBS    ?= $(shell nproc)
CLHLS   := target/release/clhls
# Programs for tests: with checks, all from one build.
CHECKED   := $(or $(CARGO_TARGET_DIR),target)/checked
FILETESTS := $(CHECKED)/filetests
LIBRARY   := $(abspath $(CHECKED))/libclhls_opencl.so
# Simulation models are kept here, by content; those of tests run for a few thousand cycles each.
export XDG_CACHE_HOME := $(CURDIR)/build/cache
export CLHLS_SIM_MODEL ?= quick
demo bench qor soak: export CLHLS_SIM_MODEL := fast

KERNELS := $(notdir $(patsubst %/launches.toml,%,$(wildcard testbenches/kernels/*/launches.toml)))
# Simulated in `make test`: one kernel or launch for each kind of hardware. `make sim` has them all.
SIM_QUICK := vadd as_types async_copies:double_buffer_odd barrier_branches:mailbox_odd call_tree delay_lines_task:lagged_18 division_task:mixed_one dot_product \
  fir_task float_compare:extremes_nan generic_pointers:chosen_odd goto_machine half_types histogram_global histogram_local image_mipmaps:literal image_path:outside image_read:literal \
  image_write:row early_exit_task:length_end early_exit_task:compare_odd linked_list_task narrow_access:mixed_odd neighbours:iterations pipe_stream:many_150 pipe_transfer:some_fit pipe_window:mirror_8 pointer_tables private_arrays:counting_odd program_scope \
  relaxed_sums_task:dot_33 scan struct_args:nested_odd sub_groups_parted:left_odd switch_interpreter task_nests:product_odd task_nests:sequence_left transpose vector_shuffles:swizzle_odd \
  c11_atomics:orders_odd float_atomics:local_float generic_unknown:lists_3 sub_group_blocks:of_uchar fences:crossing image_read_write:next_rgba_unorm8 litmus:messages_crossing

# Launched through OpenCL in `make test`. `make icd-kernels` has them all.
ICD_QUICK := c11_atomics contraction denorms_are_zero device_enqueue fences float_atomics generic_pointers generic_unknown half_memory header_half image_mipmaps image_read image_read_write \
  image_write litmus nonuniform_groups program_scope struct_args sub_group_shuffles work_group_functions work_item_ids

# What `make test` runs when everything is built: two at a time, since several wait for something most of the time.
STAGES := unit sim-quick xrt-quick emu hostlib schedules host-quick native icd-kernels-quick examples builtins-quick fuzz-sample units-quick operators-sample rtl-lint-quick cocotb-quick

# Our crates are compiled by clippy's compiler, which checks them on the way: `cargo clippy` would read all dependencies once more.
programs unit bless: export RUSTC_WORKSPACE_WRAPPER := clippy-driver
programs unit bless: export CLIPPY_ARGS := -D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__

.PHONY: all help setup build programs demo test unit kernels emu native schedules sim host host-quick examples soak hostlib hostlib-serial xrt xrt-quick builtins builtins-quick units format lint operators operators-sample rtl-lint cocotb test-long emu-simd sim-quick sim-all icd-kernels icd-kernels-quick units-quick rtl-lint-quick cocotb-quick bless-check bless proofs bench bench-emu qor characterise report fuzz fuzz-kernels fuzz-hardware fuzz-ir fuzz-tasks fuzz-sample fuzz-deep exhaustive docs clean

all: test bless-check ## what CI runs

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup: ## install what the tests need (idempotent)
	@scripts/setup test

build: ## the clhls command, optimised
	@$(CARGO) build --release -p clhls-driver --bin clhls
	@$(CARGO) build --release -p clhls-ir-opt --bin measure-extraction

ifdef BUILT # by the make that runs this one
programs kernels: ;
else
programs: ## everything that `make test` runs, with checks
	@echo "== programs, tests and clippy, $$(date +%T)"
	@$(CARGO) build --workspace --lib --bins --tests --example docs --example operators --example fuzz_kernels --profile checked

kernels: ## compile the test kernels with both producers
	@echo "== test kernels, $$(date +%T)"
	@testbenches/kernels/compile
endif

demo: ## image convolution on a simulated u250
	@scripts/setup demo
	@$(CARGO) build --release -p clhls-driver --bin clhls
	@examples/convolution/run $(CLHLS)

test: setup format programs kernels ## every kind of test, in half an hour
	@printf '%s\n' $(STAGES) | xargs -P 2 -I STAGE $(MAKE) --no-print-directory BUILT=1 STAGE
	@echo "make test: all stages passed"

test-long: setup lint kernels emu-simd sim icd-kernels hostlib xrt builtins units operators rtl-lint cocotb ## what `make test` runs a part of, whole (hours; results: testbenches/long.md)
	@echo "make test-long: all stages passed"

format: ## formatting
	@echo "== format, $$(date +%T)"
	@$(CARGO) fmt --all --check
	@$(CARGO) fmt --check --manifest-path examples/matmul/Cargo.toml

lint: format ## formatting and clippy of everything, no warnings allowed (`make test` has clippy's checks of what it builds)
	@echo "== clippy, $$(date +%T)"
	@$(CARGO) clippy --workspace --all-targets --profile checked --quiet -- -D warnings

unit: programs ## tests of all crates
	@echo "== tests of the crates, $$(date +%T)"
	@$(CARGO) test --workspace --lib --bins --tests --profile checked --quiet
	@$(CARGO) test --workspace --doc --profile checked --quiet

emu: programs kernels ## all test kernels in the interpreter: as read, -O0 and -O2, some of them as several work-items a token
	@echo "== kernels in the interpreter, $$(date +%T)"
	@$(FILETESTS) --device emu --jobs $(JOBS)
	@$(FILETESTS) --device emu --jobs $(JOBS) --producer clang-22 --simd 8 $(filter-out convert% header% half_memory,$(KERNELS))

emu-simd: programs kernels ## all of them as eight work-items a token
	@$(FILETESTS) --device emu --jobs $(JOBS) --producer clang-22 --simd 8
	@$(FILETESTS) --device emu --jobs $(JOBS) --producer clang-22 --simd auto

native: programs kernels ## all test kernels as native code, against expected results and the interpreter
	@echo "== kernels as native code, $$(date +%T)"
	@$(FILETESTS) --device native --jobs $(JOBS)

schedules: programs kernels ## schedules of all test kernels: rules, text, registers
	@echo "== schedules of the kernels, $$(date +%T)"
	@$(FILETESTS) --device schedule --jobs $(JOBS)

sim-quick: programs kernels ## some test kernels as simulated hardware
	@echo "== kernels as simulated hardware, $$(date +%T)"
	@$(FILETESTS) --device sim --jobs $(JOBS) --producer clang-22 --rotate $(SIM_QUICK)
	@$(FILETESTS) --device sim --jobs $(JOBS) --producer clang-15 --rotate matmul_tiled scan \
	  device_enqueue:summed_two image_read:row_array pipe_reserve:groups_written pipe_reserve:sub_groups_read sub_group_functions:int_odd
	@$(FILETESTS) --device sim --jobs $(JOBS) --producer clang-22 --rotate --board u250 --simd 8 --memory-ports 3 transpose
	@$(FILETESTS) --device sim --jobs $(JOBS) --producer clang-22 --rotate --simd auto stream pitched_rows:sobel_odd pitched_rows:shift_twice pitched_rows:packed_records
	@$(FILETESTS) --device sim --jobs $(JOBS) --producer clang-22 --rotate --compute-units 3 nonuniform_groups

sim: programs kernels ## all test kernels as simulated hardware (half an hour)
	@echo "== all kernels as simulated hardware, $$(date +%T)"
	@$(FILETESTS) --device sim --jobs $(JOBS) --producer clang-22 --rotate
	@$(FILETESTS) --device sim --jobs $(JOBS) --producer clang-15 --rotate \
	  vadd matmul_tiled histogram_local scan fir_task struct_args vector_shuffles nonuniform_groups header_bfloat16 half_memory \
	  c11_atomics device_enqueue fences image_read image_read_write image_write pipe_reserve sub_group_functions
	@$(FILETESTS) --device sim --jobs $(JOBS) --producer clang-22 litmus
	@$(FILETESTS) --device sim --jobs $(JOBS) --producer clang-22 --rotate \
	  --board u250 --simd auto vadd saxpy struct_args call_tree poly_f64 stream nonuniform_groups
	@$(FILETESTS) --device sim --jobs $(JOBS) --producer clang-22 --rotate \
	  --board u250 --simd 8 --memory-ports 3 vadd transpose reduce_local histogram_global
	@$(FILETESTS) --device sim --jobs $(JOBS) --producer clang-22 --rotate \
	  --compute-units 3 vadd histogram_global nonuniform_groups

hostlib: programs ## written host programs on simulated designs
	@echo "== written host programs, simulated, $$(date +%T)"
	@testbenches/hostlib/run --device sim $(CHECKED)/clhls

hostlib-serial: programs ## the same behind the simulated serial line of the ULX3S (minutes)
	@testbenches/hostlib/run --device uart $(CHECKED)/clhls

xrt: programs ## XRT's programs, and the written ones through XRT, on simulated designs
	@echo "== programs that use XRT, $$(date +%T)"
	@scripts/setup xrt
	@testbenches/xrt/run $(CHECKED)/clhls
	@testbenches/hostlib/run --device xrt $(CHECKED)/clhls

xrt-quick: programs
	@echo "== programs that use XRT, $$(date +%T)"
	@scripts/setup xrt
	@testbenches/xrt/run $(CHECKED)/clhls
	@testbenches/hostlib/run --device xrt $(CHECKED)/clhls vadd chain

sim-all: programs kernels ## both producers, every schedule and memory behaviour (hours)
	@$(FILETESTS) --device sim --jobs $(JOBS)

host-quick: programs ## OpenCL host programs on the emulator, some on simulated hardware, compared with PoCL
	@echo "== OpenCL host programs, $$(date +%T)"
	@build/venv/bin/python -m unittest discover -q -s testbenches/host
	@testbenches/host/run --quick --library $(LIBRARY)

host: programs ## OpenCL host programs on the emulator and on simulated hardware, compared with PoCL
	@testbenches/host/run --library $(LIBRARY)

# Without PoCL and other platforms; the tests of `host` have these.
ICD := OCL_ICD_VENDORS=$(LIBRARY) CLHLS_DEVICES=emu PYTHONWARNINGS=ignore

icd-kernels: programs ## launches of all test kernels through the OpenCL library, on the emulator
	@echo "== kernels through OpenCL, $$(date +%T)"
	@$(ICD) testbenches/kernels/expect --platform clhls --device emu

icd-kernels-quick: programs
	@echo "== some kernels through OpenCL, $$(date +%T)"
	@$(ICD) testbenches/kernels/expect --platform clhls --device emu $(ICD_QUICK)

examples: programs ## the programs of examples/ on the emulator and on simulated hardware
	@echo "== examples, $$(date +%T)"
	@for example in examples/*/Makefile; do $(MAKE) -s -C $$(dirname $$example) LIBRARY=$(LIBRARY); done

soak: programs ## objects of OpenCL made and released by threads for ten minutes, with flat memory
	@testbenches/host/run --soak 300 --library $(LIBRARY)

builtins-quick: programs ## every built-in function at every type in the interpreter, some of them as hardware
	@echo "== built-in functions, $$(date +%T)"
	@testbenches/builtins/run --programs $(CHECKED) --quick --jobs $(JOBS)

builtins: programs ## the same with more operands, all of them as hardware, and on PoCL (an hour)
	@testbenches/builtins/run --programs $(CHECKED) --jobs $(JOBS)

units-quick: ## benches of the RTL library, every sixth parameter set
	@echo "== RTL library, $$(date +%T)"
	@testbenches/units/run --quick --jobs $(JOBS)

units: ## benches of the RTL library, all parameter sets
	@testbenches/units/run --jobs $(JOBS)

operators-sample: programs
	@echo "== a sample of the operator modules against their datapaths, $$(date +%T)"
	@$(CHECKED)/examples/operators check --sample --cases 10000 --jobs $(JOBS)

operators: programs ## every operator module at two clocks, 100,000 cases each, in Verilator; rewrites testbenches/numerics/modules.md
	@$(CHECKED)/examples/operators check --jobs $(JOBS) \
	  --report testbenches/numerics/modules.md

rtl-lint-quick: programs kernels ## some generated designs through Verilator -Wall, yosys and Icarus
	@echo "== lint of generated designs, $$(date +%T)"
	@scripts/rtl-lint --quick $(CHECKED)/clhls

rtl-lint: programs kernels ## more of them
	@scripts/rtl-lint $(CHECKED)/clhls

cocotb-quick: programs kernels ## some generated designs in Icarus, with AXI models from elsewhere
	@echo "== generated designs in Icarus and cocotb, $$(date +%T)"
	@testbenches/cocotb/run --quick --jobs $(JOBS) $(CHECKED)/clhls

cocotb: programs kernels ## more of them
	@testbenches/cocotb/run --jobs $(JOBS) $(CHECKED)/clhls

bless: programs ## rewrite expected outputs and generated documents
	@CLHLS_BLESS=1 $(CARGO) test --workspace --profile checked --quiet --lib --test files --test filetests --test docs
	@$(CHECKED)/examples/docs docs
	@scripts/rtl-docs

bless-check: bless
	@git diff --exit-code -- testbenches docs || { echo "make bless changed files: look at them and commit"; exit 1; }

report: ## reports in headless Chromium (PICTURES=1: also those of docs)
	@echo "== reports in Chromium, $$(date +%T)"
	@scripts/setup report
	@$(CARGO) build --release --quiet -p clhls-driver --bin clhls
	@testbenches/report/check $(CLHLS) $(if $(PICTURES),--pictures)

proofs: ## every rewrite rule through z3
	@$(CARGO) run --release --quiet -p clhls-ir-opt --bin prove-rules

exhaustive: ## arithmetic operators against their references, five hours; only what changed since testbenches/numerics/*.tsv were written
	@$(CARGO) test --release -p clhls-arith --test tables --test math -- --ignored --nocapture
	@$(CARGO) run --release -p clhls-arith --example exhaustive -- --date $$(date -I) --write testbenches/numerics/arithmetic.md
	@$(CARGO) run --release -p clhls-arith --example ulp -- --date $$(date -I) --write testbenches/numerics/ulp.md

# N programs; ARGS passes options on, for example ARGS="--first 5000 --seconds 600 --resume"
fuzz-kernels: programs ## N random OpenCL kernels in the interpreter after the passes, as native code, on PoCL (ARGS, see testbenches/fuzz)
	@$(CHECKED)/examples/fuzz_kernels --count $(or $(N),3200) --jobs $(JOBS) $(ARGS)

fuzz-hardware: programs ## N small random OpenCL kernels as simulated hardware
	@$(CHECKED)/examples/fuzz_kernels --hardware --count $(or $(N),100) --jobs $(JOBS) --out build/fuzz-hardware $(ARGS)

fuzz-tasks: programs ## N random kernels of one work-item with loops that end by what they load or change tables on the chip, as simulated hardware
	@testbenches/fuzz/tasks --clhls $(CHECKED)/clhls --count $(or $(N),120) $(ARGS)

fuzz-ir: programs ## N random kernels made as IR, interpreted behind the passes and as native code
	@$(CHECKED)/examples/fuzz_kernels --ir --count $(or $(N),10000) --jobs $(JOBS) --out build/fuzz-ir $(ARGS)

fuzz-sample: programs ## random kernels that failed once, and a few others (part of make test)
	@echo "== random kernels, $$(date +%T)"
	@$(CHECKED)/examples/fuzz_kernels --regressions testbenches/fuzz/regressions --hardware
	@$(CHECKED)/examples/fuzz_kernels --count 32 --per-module 8 --jobs $(JOBS) --out build/fuzz-sample
	@$(CHECKED)/examples/fuzz_kernels --hardware --count 2 --jobs $(JOBS) --out build/fuzz-sample
	@testbenches/fuzz/tasks --clhls $(CHECKED)/clhls --count 6 --out build/fuzz-sample
	@testbenches/fuzz/tasks --clhls $(CHECKED)/clhls --first 24 --count 6 --out build/fuzz-sample

fuzz: programs kernels ## a million mutated SPIR-V modules
	@$(CARGO) build --workspace --example fuzz --profile checked
	@$(CHECKED)/examples/fuzz 0 8000 build/kernels/*.spv

fuzz-deep: programs kernels ## mutated modules through all steps, results compared with the optimiser's
	@$(CARGO) build --workspace --example deep_fuzz --profile checked
	@$(CHECKED)/examples/deep_fuzz 0 800 build/kernels/*.spv

bench: ## speed of the interpreter and of compilation
	@$(CARGO) bench -p clhls-interp

bench-emu: kernels ## speed of native code against PoCL, and time to the first launch
	@$(CARGO) build --release --quiet -p clhls-emulator --example bench
	@testbenches/host/bench_emulator.py target/release/examples/bench

# QOR passes options on, for example QOR="--stage cycles --stage goals vadd"
qor: kernels build ## cycles, area, clock, compile time and sim speed against the committed figures; BLESS=1 rewrites them
	@scripts/setup qor
	@testbenches/qor/run $(if $(BLESS),--bless) $(QOR)

characterise: ## delays and areas of ECP5 operators by yosys and nextpnr against board-support/ecp5/measured.csv, half an hour; BLESS=1 rewrites it
	@scripts/setup qor
	@board-support/ecp5/characterise --jobs $(JOBS) $(if $(BLESS),--bless) $(ROWS)

docs: ## documentation of the crates
	@$(CARGO) doc --workspace --no-deps

clean: ## everything built
	@$(CARGO) clean
	@rm -rf build
