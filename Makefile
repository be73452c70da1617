# Sudare's one door. `make` lists the targets; each does its own set-up.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PEERS := .venv-peers
PEERS_READY := $(PEERS)/.ready
CLICKSTREAM ?= data/e-shop clothing 2008.csv.gz

.PHONY: help demo test check format web chromium bench papers postgres lock clean

help:  ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Sudare needs Python 3.11 or newer; say which with: make PYTHON=python3.11" >&2; exit 1; }
	@rm -f $@
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing the locked dependencies into $(VENV) (once)"
	@if command -v uv >/dev/null 2>&1; then \
	  uv pip install --quiet --python $(BIN)/python --compile-bytecode --require-hashes -r requirements.lock && \
	  uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .; \
	else \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock && \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .; \
	fi
	@$(BIN)/python -m compileall -q src  # some machines forbid writing bytecode at run time
	@touch $@

$(PEERS_READY): benchmarks/peers/requirements.lock
	@rm -f $@
	@test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	@echo "Installing the libraries to compare with into $(PEERS) (once)"
	@if command -v uv >/dev/null 2>&1; then \
	  uv pip install --quiet --python $(PEERS)/bin/python --compile-bytecode --require-hashes -r $<; \
	else \
	  $(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<; \
	fi
	@touch $@

demo: $(READY)  ## run a collector with simulated people, until Ctrl-C
	@$(BIN)/sudare demo

test: check postgres chromium  ## check, then run every test
	@$(BIN)/python -m compileall -q src  # once, not in each of the commands that the tests start
	@workers=$$($(BIN)/python -c 'import os; print((os.cpu_count() or 1) * 3 // 2)') && \
	  $(BIN)/python -m pytest -n $$workers --dist loadgroup  # some wait for processes of their own

check: $(READY)  ## formatting, lint and types
	@$(BIN)/ruff format --check --quiet . && $(BIN)/ruff check --quiet . && $(BIN)/mypy
	@for paper in papers/*/; do MYPYPATH=$$paper $(BIN)/mypy $$paper || exit 1; done

format: $(READY)  ## format and mend what lint can mend
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix .

web:  ## build the browser's pages (needs Node.js 20.19 or newer)
	@cd web && npm ci --prefer-offline && npm run build

chromium:  ## install the browser that the tests drive, if it is missing
	@if command -v chromium >/dev/null; then :; \
	elif command -v apt-get >/dev/null; then \
	  sudo=; test "$$(id -u)" = 0 || sudo=sudo; \
	  $$sudo apt-get update -qq && \
	  $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y chromium >/dev/null; \
	else \
	  echo "The pages are tested in Chromium: install it such that chromium is on the PATH" >&2; exit 1; \
	fi

bench: $(READY) $(PEERS_READY) postgres  ## measure the speeds, beside other libraries
	@$(BIN)/python benchmarks/run.py && $(BIN)/python benchmarks/streaming.py && \
	  $(BIN)/python benchmarks/crowd.py && $(BIN)/python benchmarks/collecting.py && \
	  $(BIN)/python benchmarks/collecting.py --store postgres && \
	  $(BIN)/python benchmarks/overload.py && $(BIN)/python benchmarks/endurance.py && \
	  $(BIN)/python benchmarks/noise_law.py

papers: $(READY)  ## redo the documents' tables and figures
	@for run in papers/*/run.py; do $(BIN)/python $$run || exit 1; done
	@if test -e "$(CLICKSTREAM)"; then \
	  $(BIN)/python papers/grr-oue/clicks.py "$(CLICKSTREAM)"; \
	else \
	  echo "$(CLICKSTREAM) isn't there: the counts in papers/grr-oue were not compared with it"; \
	fi

postgres:  ## install a PostgreSQL server, which tests and benchmarks start for themselves
	@if ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null; then :; \
	elif command -v apt-get >/dev/null; then \
	  sudo=; test "$$(id -u)" = 0 || sudo=sudo; \
	  $$sudo apt-get update -qq && \
	  $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y postgresql >/dev/null; \
	else \
	  echo "Tests and benchmarks need a PostgreSQL server: install one such that initdb is on the PATH" >&2; exit 1; \
	fi

lock: $(READY)  ## renew both requirements.lock (needs uv)
	@uv pip compile --universal --generate-hashes --no-header --quiet --upgrade \
	  --python-version 3.11 --group dev -o requirements.lock pyproject.toml
	@uv pip compile --universal --generate-hashes --no-header --quiet --upgrade --python-version 3.11 \
	  -o benchmarks/peers/requirements.lock benchmarks/peers/requirements.in

clean:  ## remove what the targets made
	@rm -rf $(VENV) $(PEERS) web/node_modules web/dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
