# `make` is the main job: generate the engine, lint it, run the job files in
# lockstep, print one table. `make help` lists the rest.

SHELL := /bin/sh
GO    ?= go
# Where Go's own instructions put it, for shells that do not look there.
export PATH := $(PATH):/usr/local/go/bin

TEST_TIMEOUT ?= 30m
TEST_FLAGS   ?=

.DEFAULT_GOAL := main
.PHONY: main test lint bench formal rdl clean help setup

main: setup ## Generate the engine in three widths and with other ports, lint it, run the job files in lockstep
	@$(GO) run ./cmd/millrace check -o out

test: lint ## Lint, then every test
	$(GO) test -timeout $(TEST_TIMEOUT) $(TEST_FLAGS) ./...
	@echo "Everything passed: lint and every test."

lint: setup ## gofmt, go vet, millracevet, staticcheck
	@unformatted=$$(gofmt -l $$($(GO) list -f '{{.Dir}}' ./...)); \
	  if [ -n "$$unformatted" ]; then echo "run gofmt -w on:" $$unformatted >&2; exit 1; fi
	$(GO) vet ./...
	$(GO) vet -vettool=$$($(GO) tool -n millracevet) ./...
	$(GO) tool staticcheck ./...

bench: setup ## The measured tables of the README
	@$(GO) run ./cmd/millrace bench utilisation
	@$(GO) run ./cmd/millrace bench utilisation --pairs
	@$(GO) run ./cmd/millrace bench latency
	@$(GO) run ./cmd/millrace bench systems
	@$(GO) run ./cmd/millrace bench simspeed

formal: setup ## Prove the properties of the managers with Yosys and ABC; prints a table
	@$(GO) test -count=1 -timeout 30m -v -run "TestFormal$$" ./idma/backend -formal

rdl: setup ## Have the reference compiler of SystemRDL read the register maps (fetches it with pip)
	@venv=$$(mktemp -d) && trap 'rm -rf "$$venv"' EXIT && python3 -m venv "$$venv" && \
	  "$$venv/bin/pip" -q install --disable-pip-version-check 'systemrdl-compiler>=1.29,<2' && \
	  SYSTEMRDL_PYTHON="$$venv/bin/python" $(GO) test -count=1 -v -run SystemRDL ./regs ./idma/...

clean: ## Remove what was generated into out/
	@find out -mindepth 1 ! -name README.md -delete

help: ## This list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST)

setup:
	@sh scripts/setup.sh
