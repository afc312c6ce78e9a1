# The commands of the house. Every target sets up the machine first: see .ci/setup.

SHELL := /bin/bash
.DEFAULT_GOAL := help

# Machines without a home directory: keep Go's files in the tree.
ifeq ($(strip $(HOME)),)
export GOCACHE    ?= $(CURDIR)/.cache/go-build
export GOPATH     ?= $(CURDIR)/.cache/go
export GOMODCACHE ?= $(CURDIR)/.cache/go/pkg/mod
endif

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
GO      := go
BUILD   := -buildvcs=false -trimpath -ldflags '-X main.version=$(VERSION)'

# Packages whose goroutines the race detector watches: machines and shells, as far
# as they do not link Pebble or pg_query, which take minutes to compile for it; those
# that do are watched in soak. zset, arrange, op and barrier have no goroutines. -short
# leaves out mutants and longest walks, which run without it.
RACE := $(addprefix ./internal/,ts row progress owner backfill coordinator filter wal wal/local wal/waltest feed pgwire adapter/file adapter/blackhole)

# Packages whose mutants run in every test: machines that decide for others. The rest run in soak: the
# log's and the heap's take minutes.
MACHINES := mutant owner backfill barrier

.PHONY: help setup build run test vet soak bench clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' Makefile

setup:
	@.ci/setup

build: setup ## bin/weir
	$(GO) build $(BUILD) -o bin/weir ./cmd/weir

run: build ## the demo: a shop, a writer, two changefeeds, two views; RUN_SECONDS=20 ends it by itself
	$(GO) run -buildvcs=false ./test/demo -weir bin/weir

vet: setup
	$(GO) vet ./...

test: vet ## everything, on real servers
	$(GO) test -buildvcs=false -race -short -p 2 -timeout 15m $(RACE)
	WEIR_MUTANTS='$(MACHINES)' $(GO) test -buildvcs=false -p 2 -timeout 20m ./...

# From the machines outwards: what fails early says most. Each line has its own limit, and
# -v prints the figures: kills, recoveries, transfers, answers compared, the seed.
LONG := WEIR_SOAK=1 $(GO) test -buildvcs=false -count=1 -p 1 -v

soak: build ## kill -9 fifty times, servers away for long, more data, another seed, all mutants
	WEIR_SEEDS=1000 $(LONG) -timeout 30m -run 'Simulation|Pace' ./internal/barrier
	$(LONG) -timeout 30m -run 'TestCrash' ./internal/state
	$(GO) test -buildvcs=false -race -short -p 1 -timeout 30m ./internal/dataflow ./internal/worker
	$(LONG) -timeout 50m ./test/consistency
	$(LONG) -timeout 20m ./test/captures
	WEIR_SEED=$${WEIR_SEED:-$$RANDOM} $(LONG) -timeout 40m ./test/oracle
	$(LONG) -timeout 40m ./test/slt/... ./test/nexmark ./test/tpch
	$(LONG) -timeout 90m ./test/crash ./test/types
	$(GO) test -buildvcs=false -count=1 -p 1 -timeout 120m -run Mutant ./internal/...

bench: build ## one JSON line a figure, each beside its peer; BENCH_SCALE=0.1 for a quick look
	@$(GO) run -buildvcs=false ./test/bench -weir bin/weir

clean: ## remove what these commands built in the tree
	rm -rf bin bench-out .cache
