# Works from a fresh clone. Each environment is built once, and again when its lock file or pyproject.toml changes.

PYTHON ?= python3
UV ?= $(firstword $(wildcard .venv/bin/uv) uv)
UPGRADE ?=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test lint bench bench-1m eval ablation tune lock grpc clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-8s  %s\n", $$1, $$2 }' Makefile

demo: .venv-demo/ready ## Build a small library from samples/ and ask it questions, offline
	@echo "demo: builds .demo/library from samples/handbook and asks it questions, offline"
	@PATH="$(CURDIR)/.venv-demo/bin:$$PATH" scripts/demo.sh

test: lint ## Lint, check types, run all tests
	@echo "test: pytest on two processes, in .venv-test"
	@.venv-test/bin/python -m pytest -n 2 -q

lint: .venv-test/ready ## Check style, formatting and types
	@echo "lint: ruff check, ruff format --check, mypy --strict, in .venv-test"
	@.venv-test/bin/ruff check .
	@.venv-test/bin/ruff format --check .
	@.venv-test/bin/mypy

bench: .venv-bench/ready ## Compare speed with other engines at 10,000 and 100,000 chunks; writes docs/performance.md
	@.venv-bench/bin/python -m benchmarks.speed 10000 100000

bench-1m: .venv-bench/ready ## The same at a million chunks, added to the figures of make bench
	@.venv-bench/bin/python -m benchmarks.speed 1000000

DATA ?= ../shared/data
KIND ?= generic
DENSE ?= auto
SETS ?=

eval: .venv-test/ready ## Measure ranking on the corpora in DATA and write the table into docs/laboratory.md (resumable)
	@.venv-test/bin/python -m benchmarks.quality $(DATA) $(SETS) --kind $(KIND) --dense $(DENSE)

ablation: .venv-test/ready ## Measure what each part of the ranking is worth, with the libraries that make eval has kept
	@.venv-test/bin/python -m benchmarks.ablation $(DATA) $(SETS) --kind $(KIND) --write

tune: .venv-test/ready ## Learn the weights that are shipped from the same libraries and write what was found into docs/laboratory.md
	@.venv-test/bin/python -m benchmarks.defaults $(DATA) $(SETS) --kind $(KIND) --write

lock: ## Resolve requirements/*.lock again (newer releases: make lock UPGRADE=--upgrade)
	@command -v $(UV) >/dev/null || { echo "make lock needs uv: pip install uv" >&2; exit 1; }
	$(COMPILE) --extra eval --group build -o requirements/run.lock
	$(COMPILE) --extra all --group build --group test --group lint -o requirements/test.lock
	$(COMPILE) --extra all --group build --group bench -o requirements/bench.lock

grpc: ## Generate the gRPC code from proto/ with the oldest generator that is supported
	@test -x .venv-grpc/bin/python || $(PYTHON) -m venv .venv-grpc
	@.venv-grpc/bin/python -m pip install -qq --disable-pip-version-check grpcio-tools==1.75.0 grpcio==1.75.0
	@.venv-grpc/bin/python scripts/generate_grpc.py

clean: ## Remove environments, caches and the demo library
	rm -rf .venv-demo .venv-test .venv-bench .venv-grpc .inspector .demo dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

COMPILE = $(UV) pip compile pyproject.toml --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" $(UPGRADE)

.venv-demo/ready: requirements/run.lock
.venv-test/ready: requirements/test.lock
.venv-bench/ready: requirements/bench.lock
.venv-%/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Pincite needs Python 3.11 or newer, $(PYTHON) is $$($(PYTHON) -V 2>&1); try: make PYTHON=python3.12 …" >&2; exit 1; }
	@echo "setting up $(@D) from $(filter %.lock,$^), once"
	@$(PYTHON) -m venv --clear $(@D)
	@$(@D)/bin/python -m pip install -qq --disable-pip-version-check --require-hashes -r $(filter %.lock,$^)
	@$(@D)/bin/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@
