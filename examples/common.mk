# What the examples share: where clhls is, which devices a program runs on.
#
#   make                      builds and runs the example on every device
#   make DEVICES=sim:ulx3s    ... on these (docs/opencl.md names them)
#   make LIBRARY=FILE         ... with this libclhls_opencl.so, which is not built then

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := run
.PHONY: run library

ROOT    := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))/..)
NAME    := $(notdir $(CURDIR))
BUILD   := $(ROOT)/build/examples/$(NAME)
DEVICES ?= emu sim:u250

ifndef LIBRARY
LIBRARY := $(or $(CARGO_TARGET_DIR),$(ROOT)/target)/release/libclhls_opencl.so
library:
	@cd $(ROOT) && cargo build --release --quiet -p clhls-opencl
endif

# $(call on_devices,COMMAND): runs it on one device after the other. The loader finds clhls only, and clhls has that device only.
define on_devices
@for device in $(DEVICES); do \
  echo "== $(NAME) on $$device"; \
  OCL_ICD_VENDORS=$(LIBRARY) CLHLS_DEVICES=$$device $(1); \
done
endef
