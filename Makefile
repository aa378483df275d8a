# Every target sets up what it needs: a virtual environment in .venv with the locked dependencies.
# Only Python 3.11 or newer, make and a package registry are assumed.

PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3 python; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo "$$p"; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: run test tools check bench chaos format lock proto clean

run: $(VENV)/run.stamp ## Start the server; play in a browser at the address that it prints, or with .venv/bin/liarsdice play.
	$(BIN)/liarsdice serve

# Tests start hundreds of processes. Without files of bytecode, each of them would compile everything again.
test: $(VENV)/dev.stamp ## Run the whole test suite.
	$(PYTEST)

PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -n $$(( $$(getconf _NPROCESSORS_ONLN) + 3 )) --dist worksteal

tools: $(VENV)/dev.stamp ## Only install the tools that the guides and the other targets use, such as buf and protoc.

check: $(VENV)/dev.stamp ## Everything a reviewer would run: format, lint, types, import contracts, tests.
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	cd proto && ../$(BIN)/buf lint && ../$(BIN)/buf breaking --against released.binpb
	$(BIN)/python -m tests.manifests
	$(BIN)/python -m tests.web.type_check
	$(MAKE) test

bench: $(VENV)/dev.stamp ## Measure what a command, a game and an append cost.
	@status=0; \
	$(BIN)/liarsdice bench || status=$$?; \
	$(BIN)/python -m tests.benchmarks.store || status=$$?; \
	$(BIN)/python -m tests.benchmarks.rpc || status=$$?; \
	$(BIN)/python -m tests.benchmarks.connect || status=$$?; \
	$(BIN)/python -m tests.benchmarks.audit || status=$$?; \
	$(BIN)/python -m tests.benchmarks.witnesses || status=$$?; \
	$(BIN)/python -m tests.benchmarks.reading || status=$$?; \
	$(BIN)/python -m tests.benchmarks.sums || status=$$?; \
	$(BIN)/python -m tests.benchmarks.page || status=$$?; \
	exit $$status

chaos: $(VENV)/dev.stamp ## Kill the store again and again, attack the server, and look for anything lost, doubled or out of order.
	@status=0; \
	$(BIN)/python -m tests.chaos $(CHAOS) || status=$$?; \
	$(BIN)/python -m tests.attacks $(ATTACKS) || status=$$?; \
	$(BIN)/python -m tests.attacks.fuzz $(FUZZ) || status=$$?; \
	$(BIN)/python -m tests.recomputed || status=$$?; \
	LIARSDICE_TESTS_AT_LENGTH=1 $(PYTEST) -m at_length || status=$$?; \
	exit $$status

format: $(VENV)/dev.stamp ## Format the code, and fix what the linter can fix.
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

proto: $(VENV)/dev.stamp ## Generate the code of the protobuf messages again.
	rm -rf proto/gen && mkdir proto/gen
	$(PROTOC) --python_out=proto/gen --grpc_python_out=proto/gen --mypy_out=quiet:proto/gen --mypy_grpc_out=quiet:proto/gen \
		$(sort $(wildcard proto/liarsdice/v1/*.proto))

PROTOC := PATH="$(BIN):$$PATH" $(BIN)/python -m grpc_tools.protoc -Iproto

lock: $(VENV)/dev.stamp ## Pin the newest allowed dependencies, with hashes, for every platform.
	$(INSTALL) uv
	$(BIN)/uv pip compile $(LOCK_FLAGS) --group build -o requirements/run.lock pyproject.toml
	$(BIN)/uv pip compile $(LOCK_FLAGS) --group dev -o requirements/dev.lock pyproject.toml

LOCK_FLAGS := --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-annotate --no-header

clean: ## Remove the files that the other targets made.
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed, and none was found; name one with PYTHON=/path/to/python3"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/run.stamp: requirements/run.lock pyproject.toml | $(BIN)/python
	$(INSTALL) --require-hashes -r requirements/run.lock
	$(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/dev.stamp: requirements/dev.lock $(VENV)/run.stamp
	$(INSTALL) --require-hashes -r requirements/dev.lock
	@touch $@
