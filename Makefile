# `make run` and `make test` need Python 3.11 or later and nothing else. Everything they install goes into .venv;
# downloads are cached outside the checkout (pip's own cache, and ~/.cache/callsheet for model weights).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# An hour of CPU for all fuzzers together takes FUZZ_SECONDS=225.
FUZZ_SECONDS ?= 60
PROPERTIES ?= tests/core tests/edges
QUESTION ?= Why is my API key not working?

.PHONY: help run test e2e fuzz bench lint format setup weights small-weights browser servers clean

help:
	@echo "make run     ask the example project one question, with the embedded model"
	@echo "make test    lint, types and the quick tests"
	@echo "make e2e     the tests that need the model's weights, a browser, or install whole programs"
	@echo "make fuzz    spoil real input for FUZZ_SECONDS of CPU per fuzzer, on new seeds each time"
	@echo "make bench   every figure we claim, as JSON, and the tables of the README made of it"
	@echo "make lint    lint and types alone"
	@echo "make format  rewrite the source in the project's format"
	@echo "make clean   remove .venv and the example project"

setup: $(VENV)/.test

run: $(VENV)/.run .demo/callsheet.toml weights
	@$(BIN)/callsheet -C .demo run "$(QUESTION)"

test: lint
	$(BIN)/python -m pytest -n auto -m "not model and not e2e"

e2e: $(VENV)/.e2e weights small-weights browser servers
	$(BIN)/python -m pytest --require-model --require-browser -m "model or e2e"

fuzz: $(VENV)/.test
	$(BIN)/python -m pytest -m fuzz --fuzz-seconds $(FUZZ_SECONDS)
	$(BIN)/python -m pytest -m "not fuzz and not model and not e2e" --hypothesis-profile fuzz $(PROPERTIES)

# Without CALLSHEET_DATA what rests on recordings is left as it is; SLOW=1 adds what takes hours.
bench: $(VENV)/.bench $(if $(SLOW),weights)
	@$(BIN)/python bench/every.py $(if $(SLOW),--slow) $(BENCH)

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

weights: $(VENV)/.run
	@$(BIN)/callsheet model pull

# A model of another family, so that what is said of open models is not said of one.
small-weights: $(VENV)/.run
	@$(BIN)/callsheet model pull smollm2-135m-instruct-q4_1

.demo/callsheet.toml: | $(VENV)/.run
	@$(BIN)/callsheet init .demo --template support

# The stamps: each step runs again only when what it installs has changed.
$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "callsheet needs Python 3.11 or later; name one with: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(VENV)/.run: $(VENV)/.created requirements/build.txt requirements/core.txt requirements/embedded.txt pyproject.toml
	$(PIP) install -r requirements/build.txt -r requirements/core.txt -r requirements/embedded.txt
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.test: $(VENV)/.run requirements/test.txt requirements/lint.txt requirements/providers.txt requirements/documents.txt \
		requirements/mcp.txt requirements/openapi.txt requirements/postgres.txt requirements/sandbox.txt
	$(PIP) install -r requirements/test.txt -r requirements/lint.txt -r requirements/providers.txt \
		-r requirements/documents.txt -r requirements/mcp.txt -r requirements/openapi.txt -r requirements/postgres.txt \
		-r requirements/sandbox.txt
	@touch $@

# What tests of pages are driven with. The browser itself is no package of Python's.
$(VENV)/.e2e: $(VENV)/.test requirements/e2e.txt
	$(PIP) install -r requirements/e2e.txt
	@touch $@

browser: $(VENV)/.e2e
	@$(BIN)/python tests/e2e/browser.py

# Foreign servers for the gateway: packages of Python and of Node, in a folder of their own.
servers: $(VENV)/.e2e browser
	@$(BIN)/python -m tests.e2e.servers

# The peers that our figures stand beside.
$(VENV)/.bench: $(VENV)/.test requirements/bench.txt
	$(PIP) install -r requirements/bench.txt
	@touch $@

clean:
	rm -rf $(VENV) .demo
