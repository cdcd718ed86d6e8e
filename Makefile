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
# Simulation models are kept here, by content.
export XDG_CACHE_HOME := $(CURDIR)/build/cache

.PHONY: all help setup build demo test unit kernels emu native schedules sim host host-quick examples soak hostlib hostlib-serial xrt builtins builtins-quick units lint operators operators-sample rtl-lint cocotb bless proofs bench bench-emu qor report fuzz fuzz-kernels fuzz-hardware fuzz-ir fuzz-sample fuzz-deep exhaustive docs clean

all: test bless-check ## what CI runs

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup: ## install what the tests need (idempotent)
	@scripts/setup test

build: ## the clhls command, optimised
	@$(CARGO) build --release -p clhls-driver --bin clhls

demo: ## image convolution on a simulated u250
	@scripts/setup demo
	@$(CARGO) build --release -p clhls-driver --bin clhls
	@examples/convolution/run $(CLHLS)

test: setup lint unit kernels emu native schedules sim host-quick examples hostlib xrt builtins-quick fuzz-sample units operators-sample rtl-lint cocotb ## every test
	@echo "make test: all stages passed"

lint: ## formatting and clippy, no warnings allowed
	@echo "== format and clippy"
	@$(CARGO) fmt --all --check
	@$(CARGO) fmt --check --manifest-path examples/matmul/Cargo.toml
	@$(CARGO) clippy --workspace --all-targets --quiet -- -D warnings

unit: ## tests of all crates
	@echo "== tests of the crates"
	@$(CARGO) test --workspace --quiet

kernels: ## compile the test kernels with both producers
	@echo "== test kernels"
	@testbenches/kernels/compile

emu: kernels ## all test kernels in the interpreter: as read, -O0 and -O2
	@echo "== kernels in the interpreter"
	@$(CARGO) run --release --quiet -p clhls-filetests -- --device emu --jobs $(JOBS)
	@$(CARGO) run --release --quiet -p clhls-filetests -- --device emu --jobs $(JOBS) --producer clang-22 --simd 8

native: kernels ## all test kernels as native code, against expected results and the interpreter
	@echo "== kernels as native code"
	@$(CARGO) run --release --quiet -p clhls-filetests -- --device native --jobs $(JOBS)

schedules: kernels ## schedules of all test kernels: rules, text, registers
	@echo "== schedules of the kernels"
	@$(CARGO) run --release --quiet -p clhls-filetests -- --device schedule --jobs $(JOBS)

sim: kernels ## all test kernels as simulated hardware
	@echo "== kernels as simulated hardware"
	@$(CARGO) run --release --quiet -p clhls-filetests -- --device sim --jobs $(JOBS) --producer clang-22 --rotate
	@$(CARGO) run --release --quiet -p clhls-filetests -- --device sim --jobs $(JOBS) --producer clang-15 --rotate \
	  vadd matmul_tiled histogram_local scan fir_task struct_args vector_shuffles nonuniform_groups header_bfloat16 half_memory
	@$(CARGO) run --release --quiet -p clhls-filetests -- --device sim --jobs $(JOBS) --producer clang-22 --rotate \
	  --board u250 --simd 8 --memory-ports 3 vadd transpose reduce_local histogram_global
	@$(CARGO) run --release --quiet -p clhls-filetests -- --device sim --jobs $(JOBS) --producer clang-22 --rotate \
	  --compute-units 3 vadd histogram_global nonuniform_groups

hostlib: build ## written host programs on simulated designs
	@echo "== written host programs, simulated"
	@testbenches/hostlib/run --device sim $(CLHLS)

hostlib-serial: build ## the same behind the simulated serial line of the ULX3S (minutes)
	@testbenches/hostlib/run --device uart $(CLHLS)

xrt: build ## XRT's programs, and the written ones through XRT, on simulated designs
	@echo "== programs that use XRT"
	@scripts/setup xrt
	@testbenches/xrt/run $(CLHLS)
	@testbenches/hostlib/run --device xrt $(CLHLS)

sim-all: kernels ## both producers, every schedule and memory behaviour (hours)
	@$(CARGO) run --release --quiet -p clhls-filetests -- --device sim --jobs $(JOBS)

host-quick: ## OpenCL host programs on the emulator, some on simulated hardware, compared with PoCL
	@echo "== OpenCL host programs"
	@$(CARGO) build --release --quiet -p clhls-opencl
	@build/venv/bin/python -m unittest discover -q -s testbenches/host
	@testbenches/host/run --quick

host: ## OpenCL host programs on the emulator and on simulated hardware, compared with PoCL
	@$(CARGO) build --release --quiet -p clhls-opencl
	@testbenches/host/run

examples: ## the programs of examples/ on the emulator and on simulated hardware
	@echo "== examples"
	@$(CARGO) build --release --quiet -p clhls-opencl
	@for example in examples/*/Makefile; do $(MAKE) -s -C $$(dirname $$example); done

soak: ## objects of OpenCL made and released by threads for ten minutes, with flat memory
	@$(CARGO) build --release --quiet -p clhls-opencl
	@testbenches/host/run --soak 300

builtins-quick: ## every built-in function at every type in the interpreter, some of them as hardware
	@echo "== built-in functions"
	@$(CARGO) build --release --quiet -p clhls-driver -p clhls-filetests
	@testbenches/builtins/run --quick --jobs $(JOBS)

builtins: ## the same with more operands, all of them as hardware, and on PoCL (an hour)
	@$(CARGO) build --release --quiet -p clhls-driver -p clhls-filetests
	@testbenches/builtins/run --jobs $(JOBS)

units: ## benches of the RTL library
	@echo "== RTL library"
	@testbenches/units/run --jobs $(JOBS)

operators-sample:
	@echo "== a sample of the operator modules against their datapaths"
	@$(CARGO) run --release --quiet -p clhls-filetests --example operators -- check --sample --cases 10000 --jobs $(JOBS)

operators: ## every operator module at two clocks, 100,000 cases each, in Verilator; rewrites testbenches/numerics/modules.md
	@$(CARGO) run --release --quiet -p clhls-filetests --example operators -- check --jobs $(JOBS) \
	  --report testbenches/numerics/modules.md

rtl-lint: ## generated designs through Verilator -Wall, yosys and Icarus
	@echo "== lint of generated designs"
	@$(CARGO) build --release --quiet -p clhls-driver --bin clhls
	@scripts/rtl-lint $(CLHLS)

cocotb: kernels ## a sample of generated designs in Icarus, with AXI models from elsewhere
	@echo "== generated designs in Icarus and cocotb"
	@$(CARGO) build --release --quiet -p clhls-driver --bin clhls
	@testbenches/cocotb/run --jobs $(JOBS) $(CLHLS)

bless: ## rewrite expected outputs and generated documents
	@CLHLS_BLESS=1 $(CARGO) test --quiet -p clhls-filetests -p clhls-abi -p clhls-ir-opt -p clhls-report
	@$(CARGO) run --quiet -p clhls-spirv-to-ir --example docs -- docs
	@scripts/rtl-docs

bless-check: bless
	@git diff --exit-code -- testbenches docs || { echo "make bless changed files: look at them and commit"; exit 1; }

report: ## reports in headless Chromium (PICTURES=1: also those of docs)
	@echo "== reports in Chromium"
	@scripts/setup report
	@$(CARGO) build --release --quiet -p clhls-driver --bin clhls
	@testbenches/report/check $(CLHLS) $(if $(PICTURES),--pictures)

proofs: ## every rewrite rule through z3
	@$(CARGO) run --release --quiet -p clhls-ir-opt --bin prove-rules

exhaustive: ## arithmetic operators against their references, long runs
	@$(CARGO) test --release -p clhls-arith --test tables --test math -- --ignored --nocapture
	@$(CARGO) run --release -p clhls-arith --example exhaustive
	@$(CARGO) run --release -p clhls-arith --example ulp -- --date $$(date -I) --write testbenches/numerics/ulp.md

# N programs; ARGS passes options on, for example ARGS="--first 5000 --seconds 600 --resume"
fuzz-kernels: ## N random OpenCL kernels in the interpreter after the passes, as native code, on PoCL (ARGS, see testbenches/fuzz)
	@$(CARGO) run --release --quiet -p clhls-filetests --example fuzz_kernels -- --count $(or $(N),3200) --jobs $(JOBS) $(ARGS)

fuzz-hardware: ## N small random OpenCL kernels as simulated hardware
	@$(CARGO) run --release --quiet -p clhls-filetests --example fuzz_kernels -- --hardware --count $(or $(N),100) --jobs $(JOBS) --out build/fuzz-hardware $(ARGS)

fuzz-ir: ## N random kernels made as IR, interpreted behind the passes and as native code
	@$(CARGO) run --release --quiet -p clhls-filetests --example fuzz_kernels -- --ir --count $(or $(N),10000) --jobs $(JOBS) --out build/fuzz-ir $(ARGS)

fuzz-sample: ## random kernels that failed once, and a few others (part of make test)
	@echo "== random kernels"
	@$(CARGO) build --release --quiet -p clhls-filetests --example fuzz_kernels
	@target/release/examples/fuzz_kernels --regressions testbenches/fuzz/regressions --hardware
	@target/release/examples/fuzz_kernels --count 64 --per-module 16 --jobs $(JOBS) --out build/fuzz-sample
	@target/release/examples/fuzz_kernels --hardware --count 2 --jobs $(JOBS) --out build/fuzz-sample

fuzz: kernels ## a million mutated SPIR-V modules
	@$(CARGO) run --release -p clhls-spirv-to-ir --example fuzz 0 8000 build/kernels/*.spv

fuzz-deep: kernels ## mutated modules through all steps, results compared with the optimiser's
	@$(CARGO) run --release -p clhls-filetests --example deep_fuzz 0 800 build/kernels/*.spv

bench: ## speed of the interpreter and of compilation
	@$(CARGO) bench -p clhls-interp

bench-emu: kernels ## speed of native code against PoCL, and time to the first launch
	@$(CARGO) build --release --quiet -p clhls-emulator --example bench
	@testbenches/host/bench_emulator.py target/release/examples/bench

# QOR passes options on, for example QOR="--stage cycles --stage goals vadd"
qor: kernels build ## cycles, area, clock, compile time and sim speed against the committed figures; BLESS=1 rewrites them
	@scripts/setup qor
	@testbenches/qor/run $(if $(BLESS),--bless) $(QOR)

docs: ## documentation of the crates
	@$(CARGO) doc --workspace --no-deps

clean: ## everything built
	@$(CARGO) clean
	@rm -rf build
