# Everything a fresh machine needs: Python 3.11 or newer, and make. All is installed into .venv; `make clean` removes it.

PYTHON ?= python3
PORT ?= 8501
THREADS ?= 1
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip
PROGRAMS := chromium graphviz
APT_INSTALL := env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends
PYTEST := env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n 2 --dist loadfile

.PHONY: app install test test-slow check format docs bench bench-quick programs clean

app: install
	$(BIN)/graphlab app --port $(PORT)

install: $(VENV)/installed

test: check programs
	$(PYTEST) -m "not slow"

test-slow: $(VENV)/tested programs
	$(PYTEST) -m slow

check: $(VENV)/tested
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/tested
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/installed
	$(BIN)/python docs/make_ops.py

bench: $(VENV)/benchmarked
	$(BIN)/python -m benchmarks --threads $(THREADS)

bench-quick: $(VENV)/benchmarked
	$(BIN)/python -m benchmarks --quick --threads $(THREADS)

# Tests drive Debian's Chromium and compare with Graphviz's own `dot`. What can be had neither now nor through apt is
# listed as NOT RUN. graphlab itself needs neither.
programs: $(VENV)/tested
	@$(BIN)/python -c 'import sys, tests.requirements as r; sys.exit(not all(map(r.find_program, r.PROGRAMS)))' || { \
	    [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && { \
	        $(APT_INSTALL) $(PROGRAMS) || { apt-get update && $(APT_INSTALL) $(PROGRAMS); }; \
	    }; \
	} || echo "Chromium or dot is not here, so the tests that need it will be listed as NOT RUN."

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

# ---- the environment: each file below marks a finished installation ------------------------------------------------
$(VENV)/created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "graphlab needs Python 3.11 or newer. '$(PYTHON) --version' says: $$($(PYTHON) --version 2>&1)"; \
	    echo "Name another one, for example: make $(or $(MAKECMDGOALS),app) PYTHON=python3.12"; \
	    exit 1; \
	}
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet --upgrade "pip>=25.1"
	touch $@

$(VENV)/installed: $(VENV)/created pyproject.toml constraints.txt
	$(PIP) install --quiet -c constraints.txt -e ".[app,symbolic,bert]"
	touch $@

$(VENV)/tested: $(VENV)/installed
	$(PIP) install --quiet -c constraints.txt -e ".[app,symbolic,notebook,bert]" --group dev
	touch $@

$(VENV)/benchmarked: $(VENV)/installed
	$(PIP) install --quiet -c constraints.txt -e ".[symbolic,bert]" --group bench
	touch $@
