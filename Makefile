# Sudare's one door. `make` lists the targets; each does its own set-up.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PEERS := .venv-peers
PEERS_READY := $(PEERS)/.ready
COUNT ?= 50
MINUTES ?= 10
CLICKSTREAM ?= data/e-shop clothing 2008.csv.gz

.PHONY: help demo test check format tools web pictures bench papers mutants fuzz lock clean

help:  ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Sudare needs Python 3.11 or newer; say which with: make PYTHON=python3.11" >&2; exit 1; }
	@rm -f $@
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }
	@echo "Installing the locked dependencies into $(VENV) (once)"
	@if command -v uv >/dev/null 2>&1; then \
	  uv pip install --quiet --python $(BIN)/python --compile-bytecode --require-hashes -r requirements.lock && \
	  uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .; \
	else \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock && \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .; \
	fi
	@$(BIN)/python -m compileall -q src  # some machines forbid writing bytecode at run time
	@$(BIN)/sudare warm-up
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

test: tools check  ## check, then run every test
	@$(BIN)/python -m compileall -q src  # once, not in each of the commands that the tests start
	@workers=$$($(BIN)/python -c 'import os; print((os.cpu_count() or 1) * 3 // 2)') && \
	  $(BIN)/python -m pytest -n $$workers --dist loadgroup  # some wait for processes of their own

check: $(READY)  ## formatting, lint and types
	@$(BIN)/ruff format --check --quiet . && $(BIN)/ruff check --quiet . && $(BIN)/mypy
	@for paper in papers/*/; do MYPYPATH=$$paper $(BIN)/mypy $$paper || exit 1; done

format: $(READY)  ## format and mend what lint can mend
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix .

tools: $(READY)  ## install or name what tests need of the system: Chromium, PostgreSQL, Java, a font
	@$(BIN)/python tests/support/tools.py

web: $(READY)  ## build the browser's pages, and publish their digests
	@$(BIN)/python tests/support/node.py run build
	@$(BIN)/python tests/page_digests.py

pictures: $(READY)  ## make the README's pictures anew: the demonstration, in Chromium
	@$(BIN)/python tests/support/tools.py
	@$(BIN)/python tests/pictures.py

bench: $(READY) $(PEERS_READY)  ## measure the speeds, beside other libraries
	@$(BIN)/python tests/support/tools.py postgresql
	@$(BIN)/python benchmarks/run.py && $(BIN)/python benchmarks/streaming.py && \
	  $(BIN)/python benchmarks/crowd.py && $(BIN)/python benchmarks/collecting.py && \
	  $(BIN)/python benchmarks/collecting.py --store postgres && \
	  $(BIN)/python benchmarks/overload.py && $(BIN)/python benchmarks/endurance.py && \
	  $(BIN)/python benchmarks/noise_law.py && $(BIN)/python benchmarks/spark.py

papers: $(READY)  ## redo the documents' tables and figures
	@for run in papers/*/run.py; do $(BIN)/python $$run || exit 1; done
	@if test -e "$(CLICKSTREAM)"; then \
	  $(BIN)/python papers/grr-oue/clicks.py "$(CLICKSTREAM)"; \
	else \
	  echo "$(CLICKSTREAM) isn't there: the counts in papers/grr-oue were not compared with it"; \
	fi

mutants: $(READY)  ## make small faults and see which the tests miss (COUNT=50, SEED=…, FOLDER=privacy)
	@$(BIN)/python tests/support/tools.py postgresql
	@$(BIN)/python tests/mutants.py --count $(COUNT) $(if $(SEED),--seed $(SEED)) \
	  $(foreach folder,$(FOLDER),--folder $(folder)) --json mutants.json

fuzz: $(READY)  ## send what strangers may send, changed at random (MINUTES=10, SEED=…; a day is 1440)
	@$(BIN)/python tests/fuzz.py --minutes $(MINUTES) $(if $(SEED),--seed $(SEED))

lock: $(READY)  ## renew both requirements.lock (needs uv)
	@uv pip compile --universal --generate-hashes --no-header --quiet --upgrade \
	  --python-version 3.11 --group dev -o requirements.lock pyproject.toml
	@uv pip compile --universal --generate-hashes --no-header --quiet --upgrade --python-version 3.11 \
	  -o benchmarks/peers/requirements.lock benchmarks/peers/requirements.in

clean:  ## remove what the targets made
	@rm -rf $(VENV) $(PEERS) web/node_modules web/dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .mutants mutants.json
