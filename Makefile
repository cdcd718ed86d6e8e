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
# Simulation models are kept here, by content.
export XDG_CACHE_HOME := $(CURDIR)/build/cache

.PHONY: all help setup build programs demo test unit kernels emu native schedules sim host host-quick examples soak hostlib hostlib-serial xrt builtins builtins-quick units lint operators operators-sample rtl-lint cocotb bless proofs bench bench-emu qor report fuzz fuzz-kernels fuzz-hardware fuzz-ir fuzz-sample fuzz-deep exhaustive docs clean

all: test bless-check ## what CI runs

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup: ## install what the tests need (idempotent)
	@scripts/setup test

build: ## the clhls command, optimised
	@$(CARGO) build --release -p clhls-driver --bin clhls

programs: ## everything that tests run, with checks
	@echo "== programs and tests, $$(date +%T)"
	@$(CARGO) build --workspace --all-targets --profile checked

demo: ## image convolution on a simulated u250
	@scripts/setup demo
	@$(CARGO) build --release -p clhls-driver --bin clhls
	@examples/convolution/run $(CLHLS)

test: setup lint unit kernels emu native schedules sim host-quick examples hostlib xrt builtins-quick fuzz-sample units operators-sample rtl-lint cocotb ## every test
	@echo "make test: all stages passed"

lint: ## formatting and clippy, no warnings allowed
	@echo "== format and clippy, $$(date +%T)"
	@$(CARGO) fmt --all --check
	@$(CARGO) fmt --check --manifest-path examples/matmul/Cargo.toml
	@$(CARGO) clippy --workspace --all-targets --quiet -- -D warnings

unit: programs ## tests of all crates
	@echo "== tests of the crates, $$(date +%T)"
	@$(CARGO) test --workspace --profile checked --quiet

kernels: ## compile the test kernels with both producers
	@echo "== test kernels, $$(date +%T)"
	@testbenches/kernels/compile

emu: programs kernels ## all test kernels in the interpreter: as read, -O0 and -O2
	@echo "== kernels in the interpreter, $$(date +%T)"
	@$(FILETESTS) --device emu --jobs $(JOBS)
	@$(FILETESTS) --device emu --jobs $(JOBS) --producer clang-22 --simd 8

native: programs kernels ## all test kernels as native code, against expected results and the interpreter
	@echo "== kernels as native code, $$(date +%T)"
	@$(FILETESTS) --device native --jobs $(JOBS)

schedules: programs kernels ## schedules of all test kernels: rules, text, registers
	@echo "== schedules of the kernels, $$(date +%T)"
	@$(FILETESTS) --device schedule --jobs $(JOBS)

sim: programs kernels ## all test kernels as simulated hardware
	@echo "== kernels as simulated hardware, $$(date +%T)"
	@$(FILETESTS) --device sim --jobs $(JOBS) --producer clang-22 --rotate
	@$(FILETESTS) --device sim --jobs $(JOBS) --producer clang-15 --rotate \
	  vadd matmul_tiled histogram_local scan fir_task struct_args vector_shuffles nonuniform_groups header_bfloat16 half_memory
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

sim-all: programs kernels ## both producers, every schedule and memory behaviour (hours)
	@$(FILETESTS) --device sim --jobs $(JOBS)

host-quick: programs ## OpenCL host programs on the emulator, some on simulated hardware, compared with PoCL
	@echo "== OpenCL host programs, $$(date +%T)"
	@build/venv/bin/python -m unittest discover -q -s testbenches/host
	@testbenches/host/run --quick --library $(LIBRARY)

host: programs ## OpenCL host programs on the emulator and on simulated hardware, compared with PoCL
	@testbenches/host/run --library $(LIBRARY)

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

units: ## benches of the RTL library
	@echo "== RTL library, $$(date +%T)"
	@testbenches/units/run --jobs $(JOBS)

operators-sample: programs
	@echo "== a sample of the operator modules against their datapaths, $$(date +%T)"
	@$(CHECKED)/examples/operators check --sample --cases 10000 --jobs $(JOBS)

operators: programs ## every operator module at two clocks, 100,000 cases each, in Verilator; rewrites testbenches/numerics/modules.md
	@$(CHECKED)/examples/operators check --jobs $(JOBS) \
	  --report testbenches/numerics/modules.md

rtl-lint: programs ## generated designs through Verilator -Wall, yosys and Icarus
	@echo "== lint of generated designs, $$(date +%T)"
	@scripts/rtl-lint $(CHECKED)/clhls

cocotb: programs kernels ## a sample of generated designs in Icarus, with AXI models from elsewhere
	@echo "== generated designs in Icarus and cocotb, $$(date +%T)"
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

exhaustive: ## arithmetic operators against their references, long runs
	@$(CARGO) test --release -p clhls-arith --test tables --test math -- --ignored --nocapture
	@$(CARGO) run --release -p clhls-arith --example exhaustive
	@$(CARGO) run --release -p clhls-arith --example ulp -- --date $$(date -I) --write testbenches/numerics/ulp.md

# N programs; ARGS passes options on, for example ARGS="--first 5000 --seconds 600 --resume"
fuzz-kernels: programs ## N random OpenCL kernels in the interpreter after the passes, as native code, on PoCL (ARGS, see testbenches/fuzz)
	@$(CHECKED)/examples/fuzz_kernels --count $(or $(N),3200) --jobs $(JOBS) $(ARGS)

fuzz-hardware: programs ## N small random OpenCL kernels as simulated hardware
	@$(CHECKED)/examples/fuzz_kernels --hardware --count $(or $(N),100) --jobs $(JOBS) --out build/fuzz-hardware $(ARGS)

fuzz-ir: programs ## N random kernels made as IR, interpreted behind the passes and as native code
	@$(CHECKED)/examples/fuzz_kernels --ir --count $(or $(N),10000) --jobs $(JOBS) --out build/fuzz-ir $(ARGS)

fuzz-sample: programs ## random kernels that failed once, and a few others (part of make test)
	@echo "== random kernels, $$(date +%T)"
	@$(CHECKED)/examples/fuzz_kernels --regressions testbenches/fuzz/regressions --hardware
	@$(CHECKED)/examples/fuzz_kernels --count 64 --per-module 16 --jobs $(JOBS) --out build/fuzz-sample
	@$(CHECKED)/examples/fuzz_kernels --hardware --count 2 --jobs $(JOBS) --out build/fuzz-sample

fuzz: programs kernels ## a million mutated SPIR-V modules
	@$(CHECKED)/examples/fuzz 0 8000 build/kernels/*.spv

fuzz-deep: programs kernels ## mutated modules through all steps, results compared with the optimiser's
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

docs: ## documentation of the crates
	@$(CARGO) doc --workspace --no-deps

clean: ## everything built
	@$(CARGO) clean
	@rm -rf build
