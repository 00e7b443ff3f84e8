# Two commands matter: `make up` to use Sophia, `make test` to change it. The others serve these two.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules --no-print-directory

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# A developer's own settings of pip and uv must not change what gets installed.
CLEAN := env -u PIP_REQUIRE_VIRTUALENV -u PIP_TARGET -u PIP_PREFIX -u PIP_USER -u UV_PROJECT_ENVIRONMENT \
	-u VIRTUAL_ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1 UV_NO_PROGRESS=1 UV_LINK_MODE=copy
UV := $(CLEAN) $(BIN)/uv
# Compiled once, as the tests start programs by the hundred and are told to write nothing beside the sources.
INSTALL := $(UV) pip install --quiet --compile-bytecode --python $(BIN)/python
# A release is taken into the locks when it has been out for a week: most poisoned ones are found sooner.
COMPILE := $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--no-annotate --no-header --exclude-newer "7 days" $(if $(UPGRADE),--upgrade)

.PHONY: help setup up test bench soak gen lock clean

help: ## Show this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 14

setup: $(VENV)/.run ## Make .venv, with .venv/bin/sophia in it
	@:
up: setup ## Start Sophia, import SOURCE=PATH (default: this repository) and show what it can do
	@$(BIN)/sophia up $(if $(SOURCE),"$(SOURCE)")

$(VENV)/.uv: requirements/uv.txt
	@command -v $(PYTHON) >/dev/null || { echo "Sophia needs Python 3.11 or newer: install python3." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Sophia needs Python 3.11 or newer; name one with make PYTHON=/path/to/python3." >&2; exit 1; }
	@[ -x $(BIN)/python ] || echo "Making .venv (this takes a minute the first time) …"
	@$(PYTHON) -m venv $(VENV) >/dev/null \
		|| { rm -rf $(VENV); echo "Python's venv is missing: install python3-venv." >&2; exit 1; }
	@$(CLEAN) $(BIN)/python -m pip install -qq --require-hashes --only-binary :all: -r requirements/uv.txt
	@touch $@

$(VENV)/.run: $(VENV)/.uv requirements/run.txt pyproject.toml
	@$(INSTALL) --require-hashes -r requirements/run.txt
	@$(INSTALL) --no-deps --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements/dev.txt
	@$(INSTALL) --require-hashes -r requirements/dev.txt
	@touch $@

test: $(VENV)/.dev ## Run every check and every test (ARGS="-k words" narrows the tests)
	@PATH="$(CURDIR)/$(BIN):$$PATH" bash tools/test.sh $(ARGS)

build/peers/.ready: requirements/bench.txt $(VENV)/.uv
	@$(PYTHON) -m venv --without-pip build/peers
	@$(UV) pip install --quiet --python build/peers/bin/python --require-hashes -r requirements/bench.txt
	@touch $@

bench: $(VENV)/.dev build/peers/.ready ## Measure, side by side with the named peers
	@$(BIN)/python -m benchmarks $(ARGS)

soak: $(VENV)/.dev ## Run the long, bounded tests
	@HYPOTHESIS_PROFILE=deep $(BIN)/python -m pytest --soak -n 2 $(ARGS)

gen: $(VENV)/.dev ## Write the generated documents anew
	@$(BIN)/python -m tools.gen

lock: $(VENV)/.uv ## Write the locks anew (UPGRADE=1 takes newer releases)
	@$(COMPILE) requirements/uv.in -o requirements/uv.txt
	@$(COMPILE) pyproject.toml --extra dense -o requirements/run.txt
	@$(COMPILE) pyproject.toml --extra dense --group dev -c requirements/run.txt -o requirements/dev.txt
	@$(COMPILE) requirements/bench.in -c requirements/run.txt -o requirements/bench.txt

clean: ## Remove what the targets made, .venv included
	@rm -rf $(VENV) build dist .coverage .coverage.* .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -not -path './.git/*' -prune -exec rm -rf {} +
