# The two commands are `make run` and `make test`; `make help` lists the rest.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

BIN := bin/svc
VERSION ?= $(shell git describe --always --dirty 2>/dev/null || echo dev)
GO_PACKAGES := ./...
RACE ?= -race
# What debuggers read takes an eighth of what compiling does.
export GOFLAGS := $(strip $(shell go env GOFLAGS 2>/dev/null) -gcflags=all=-dwarf=false)

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: setup ## serve the product with demo data on http://127.0.0.1:4000
	@$(MAKE) --no-print-directory -j2 dashboard compile
	@$(MAKE) --no-print-directory -o compile build
	@{ scripts/example && scripts/packages; } & exec $(BIN) dev --demo=live --example sdk/examples/web/dist --packages sdk/packages/dist

.PHONY: dev
dev: ## the dashboard with hot reload, against a server that runs on http://127.0.0.1:4000 (SVC_SERVER says another)
	@scripts/dashboard install && cd dashboard && npm run dev

.PHONY: dashboard
dashboard: ## build the dashboard, which the binary that is built next holds; without Node there is none
	@scripts/dashboard build

.PHONY: packages
packages: ## pack the SDKs, with checksums, which the binary that is built next holds and serves at /sdk/
	@scripts/packages

.PHONY: test
test: ## everything that must hold: lint, generated code, Go with race detector, SDKs, browser; says what each stage took
	@MAKE=$(MAKE) scripts/stages setup lint generated test-dashboard test-go test-sdk test-e2e

.PHONY: setup
setup: ## install what is missing: PostgreSQL, and a browser for the SDK tests
	@scripts/setup

# While the dashboard's packages come over the network, a processor is free.
.PHONY: compile
compile:
	@[ -x $(BIN) ] || echo "building svc; the first time takes some minutes" >&2
	@GOGC=400 go build ./resolvers

# GOGC is for the compiler: with a larger heap, of 2 GB at most in the place of 1.5, it takes a fifth less of a processor.
.PHONY: build
build: setup compile ## build the svc binary
	@mkdir -p bin
	@GOGC=400 go build -ldflags "-w -X main.version=$(VERSION)" -o $(BIN) ./cmd/svc

.PHONY: check
check: ## what a change should pass before it is shown: formatting, vet, short tests of what changed; a minute or so
	@scripts/check

.PHONY: lint
lint: ## formatting, vet, golangci-lint; no built program and no large file is tracked
	@scripts/lint

.PHONY: generate
generate: ## regenerate what ent, gqlgen and the dashboard generate
	@go generate $(GO_PACKAGES)
	@scripts/dashboard generate

.PHONY: generated
generated: ## prove that generated code is fresh
	@scripts/generated

.PHONY: schema-check
schema-check: ## name what breaks clients of the released GraphQL schema; test-go does so too
	@go test -count=1 -run '^TestTheSchemaKeepsWhatWasReleased$$' ./resolvers

.PHONY: schema-release
schema-release: ## make the GraphQL schema of this tree the released one: at a release
	@SVC_SCHEMA=release go test -count=1 -run '^TestTheSchemaKeepsWhatWasReleased$$' ./resolvers

.PHONY: test-go
test-go: ## Go tests with the race detector, on the PostgreSQL that is found; names its variant, measures coverage
	@go test -count=1 -v -run '^TestVariant$$' ./postgres/pgtest
	@scripts/test-go $(RACE)

.PHONY: test-dashboard
test-dashboard: ## lint, type-check, test and build the dashboard
	@scripts/dashboard test

.PHONY: test-sdk
test-sdk: ## lint, type-check, test and build the SDK packages
	@scripts/sdk

.PHONY: test-e2e
test-e2e: ## the web example in Chromium against the real server; after test-sdk
	@scripts/e2e

.PHONY: cover
cover: ## coverage of the packages the product exists for
	@scripts/cover

.PHONY: bench
bench: build ## speed and memory: ours, the reference, the ratio
	@go run ./bench

.PHONY: test-worlds
test-worlds: ## nightly: reports against the naive implementation on 10,000 generated worlds
	@SVC_ORACLE_WORLDS=10000 go test -timeout 60m ./analytics/oracle/...

.PHONY: test-experiments
test-experiments: ## nightly: 20,000 simulated experiments that somebody looks at daily
	@SVC_EXPERIMENTS=20000 go test -count=1 -timeout 30m -run '^TestLookingDailyIsSafe$$' -v ./analytics/experiment

.PHONY: test-editing
test-editing: dashboard build ## nightly: people edit one flow for ten minutes over cut connections; 50 kills of what they edit on, and 50 of their browsers; three examples rebuilt by hand
	@cd dashboard && E2E_SERVER_BINARY=$(CURDIR)/$(BIN) E2E_EDITING_SECONDS=600 npx vitest run --config e2e/vitest.config.ts e2e/edit-converges.test.ts e2e/edit-rebuild.test.ts
	@cd dashboard && E2E_SERVER_BINARY=$(CURDIR)/$(BIN) E2E_BROWSER_KILLS=50 npx vitest run --config e2e/vitest.config.ts e2e/edit-killed.test.ts
	@SVC_TEST_EDIT_KILLS=50 go test -count=1 -timeout 60m -v -run '^TestTypingSurvivesKilledServersAndDatabases$$' ./cmd/svc/e2e

.PHONY: test-endurance
test-endurance: ## nightly: everything at once while servers, the database, the line to it, its disk and clocks fail, then upgrades from the release before; ENDURANCE=8h for how long, SVC_TEST_SEED replays an order
	@SVC_TEST_ENDURANCE=$(or $(ENDURANCE),1h) go test -race -count=1 -timeout 0 -v -run '^TestEndurance' ./cmd/svc/e2e

.PHONY: bench-reports
bench-reports: build ## speed and memory of reports against plain SQL, and disk an event; SCALE=0.1 for a tenth of the data
	@go run ./bench -scale $(or $(SCALE),1) bytes reports

.PHONY: bench-report
bench-report: build ## write docs/benchmarks.md: speed, disk and cost, reports beside DuckDB and ClickHouse; SCALE=0.1 for a tenth of the data
	@go run ./bench -scale $(or $(SCALE),1) -out docs/benchmarks.md resolve ingest bytes engines

.PHONY: bench-year
bench-year: build ## write docs/benchmarks-year.md: every report over a year of a billion events with 4 GiB; 26 GB of disk; SCALE=0.1 for a tenth
	@go run ./bench -scale $(or $(SCALE),1) -out docs/benchmarks-year.md -only '^(summary|series|(attribution|engagement|demographic|technology|goal) .*|screens|events|events series|retention.*|goals|funnel|paths|visitors|overview)$$' year

.PHONY: bench-dashboard
bench-dashboard: dashboard build ## weight and speed of the dashboard against its budgets; LINK= measures a running svc dev by the link it printed, SCOPE='range=28d' over those days
	@cd dashboard && node scripts/bench.mjs $(if $(LINK),--server '$(LINK)') $(if $(SCOPE),--scope '$(SCOPE)')

.PHONY: fuzz
fuzz: ## run every fuzz target for a while (FUZZTIME, default 20s each)
	@scripts/fuzz

.PHONY: clean
clean: ## remove built files; the data directory .svc stays
	@rm -rf bin sdk/*/dist dashboard/dist/app
