# Everything one does with this repository. CI runs these very targets.
#
#   make serve ARGS="--help"            arguments for the program behind the target
#   make test ARGS="tests/domain -x"    as above
#   make check PYTHON=python3.12        another interpreter for a new .venv

PYTHON ?= python3
PYTEST ?= $(BIN)/pytest -n 2 --dist worksteal
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
PIP := PIP_ROOT_USER_ACTION=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules --no-print-directory

MADE_OF := pyproject.toml constraints/build.txt constraints/runtime.txt
PIP_ADVICE := echo "make: pip could not install what is needed. Read its message above; if it is about the network or an index, check the connection and pip's own configuration (pip config list), then run make again." >&2

.PHONY: help
help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: serve
serve: $(VENV)/.stamp-compiled ## Install what the server needs, build its page, and run it (ARGS="--port 8001").
	@if $(HAS_NODE); then $(MAKE) --silent page || echo "$(PAGE_LATER)" >&2; \
		elif [ ! -e $(PAGE) ]; then echo "$(ONLY_API)" >&2; fi
	@exec $(BIN)/chatd serve $(ARGS)

.PHONY: demo
demo: $(VENV)/.stamp-compiled ## Show a coding session in a repository of its own, without a key (chatd demo).
	@exec $(BIN)/chatd demo $(ARGS)

.PHONY: page
page: ## Build the web page into src/chatd/web, where the server and the wheel have it. Needs Node.js 20.
	@$(HAS_NODE) || { echo "$(NO_NODE)" >&2; exit 1; }
	@$(MAKE) --silent $(PAGE)

.PHONY: wheel
wheel: page $(VENV)/.stamp-build ## Build the wheel and the source package, with the page, into dist.
	@$(BIN)/python -m hatchling build

.PHONY: client
client: $(VENV)/.stamp-build ## Build the client as a package of its own, without the server, into dist.
	@$(BIN)/python -m tools.client_package

.PHONY: test
test: $(VENV)/.stamp-docs $(VENV)/.stamp-compiled ## Run the tests on a real, throw-away PostgreSQL (ARGS="tests/domain -x").
	@$(BIN)/python tools/postgres.py --ensure
	@$(BIN)/python tools/bubblewrap.py --ensure
	@$(BIN)/python tools/chromium.py --ensure
	@$(BIN)/python tools/proxies.py
	@if $(HAS_NODE); then $(MAKE) --silent page; $(if $(ARGS),true,npm --prefix web run --silent test); \
		else echo "The tests of the web page are skipped: $(NO_NODE)" >&2; fi
	@exec $(BIN)/python tools/postgres.py --run $(PYTEST) $(ARGS)

.PHONY: fuzz
fuzz: $(VENV)/.stamp-dev ## Read 100,000 damaged answers of every provider's dialect (ARGS="--dialect chat").
	@exec $(BIN)/python -m tests.fuzz $(ARGS)

.PHONY: simulate
simulate: $(VENV)/.stamp-dev ## Play seeded stories of crashes, lost hints and failures (SEEDS=1000:2000 ARGS="--shrink").
	@exec $(PYTEST) tests/simulation/test_seeds.py $(if $(SEEDS),--seeds $(SEEDS)) $(ARGS)

.PHONY: chaos
chaos: $(VENV)/.stamp-dev $(VENV)/.stamp-compiled ## Kill, pause and cut off three real servers and their PostgreSQL (MINUTES=10 SEED=7).
	@$(BIN)/python tools/postgres.py --ensure
	@exec $(BIN)/python -m tests.chaos $(if $(MINUTES),--minutes $(MINUTES)) $(if $(SEED),--seed $(SEED)) $(ARGS)

.PHONY: check
check: ## Check format, lint, types, import directions, spelling and generated files.
	@$(MAKE) --jobs=3 --output-sync=recurse check-rest check-types check-page

# Beside one another: the types take as long as all the rest, and the page needs nothing of Python.
.PHONY: check-rest check-types check-page
check-rest: $(VENV)/.stamp-dev
	@echo "format" && $(BIN)/ruff format --check .
	@echo "lint" && $(BIN)/ruff check .
	@echo "import directions" && $(BIN)/lint-imports --no-logo
	@echo "spelling" && $(BIN)/codespell
	@echo "generated files" && $(BIN)/python -m tools.generate --check

check-types: $(VENV)/.stamp-dev
	@echo "types" && $(BIN)/mypy $(TYPED)

check-page:
	@if $(HAS_NODE); then $(MAKE) --silent $(NODE_MODULES) && echo "web page" && npm --prefix web run --silent check; \
		else echo "The checks of the web page are skipped: $(NO_NODE)" >&2; fi

.PHONY: fix
fix: $(VENV)/.stamp-dev ## Format, apply the safe lint fixes and write the generated files anew.
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .
	@$(BIN)/python -m tools.generate
	@if $(HAS_NODE); then $(MAKE) --silent $(NODE_MODULES) && npm --prefix web run --silent fix; fi

.PHONY: bench
bench: $(VENV)/.stamp-dev $(VENV)/.stamp-compiled ## Run every bench, one after the other.
	@$(BIN)/python tools/postgres.py --ensure
	@for bench in $(filter-out bench/_%,$(wildcard bench/*.py)); do \
		echo "$$bench"; $(BIN)/python -m "bench.$$(basename $$bench .py)" $(ARGS); \
	done

.PHONY: docs
docs: $(VENV)/.stamp-docs ## Build the documentation as a site into build/site; a mistake fails (ARGS=--serve while you write).
	@exec $(BIN)/python -m tools.docs_site $(ARGS)

.PHONY: pictures
pictures: page $(VENV)/.stamp-dev $(VENV)/.stamp-compiled ## Take the pictures of the web page anew, and its recording, in a Chromium.
	@$(BIN)/python tools/chromium.py --ensure
	@exec $(BIN)/python -m tests.browser.pictures

.PHONY: recording
recording: page $(VENV)/.stamp-dev $(VENV)/.stamp-compiled ## Record chatd chat anew for the README, in an emulated terminal.
	@exec $(BIN)/python -m tests.cli.recording

.PHONY: sizes
sizes: ## Show the largest files and the longest functions.
	@$(PYTHON) tools/sizes.py

.PHONY: clean
clean: ## Remove the virtual environment, the caches and the build output.
	@echo "Removing $(VENV), caches and build output."
	@rm -rf $(VENV) build dist web/node_modules src/chatd/web .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -not -path './.git/*' -not -path '*/node_modules/*' -prune -exec rm -rf {} +

# mypy refuses a folder without Python files, so a folder is checked from its first file on.
TYPED := $(foreach folder,src tests tools bench,$(if $(shell find $(folder) -name '*.py' -print -quit 2>/dev/null),$(folder)))

# The page is made with Node.js, and only where it is there.
PAGE := src/chatd/web/index.html
NODE_MODULES := web/node_modules/.package-lock.json
PAGE_MADE_OF := $(shell find web -type f -not -path '*/node_modules/*' -not -name '*.test.ts*' 2>/dev/null)
HAS_NODE := node -e 'const [major, minor] = process.versions.node.split("."); process.exit(+(major * 100 + +minor < 2019))' 2>/dev/null && command -v npm >/dev/null
NO_NODE := The web page needs Node.js 20.19 or newer with npm, which was not found: install it, and run make again.
ONLY_API := The API is served without the web page, which needs Node.js 20.19 or newer with npm: install it, and run make serve again.
PAGE_LATER := The web page could not be built, as the message above says; the API is served without it.

$(NODE_MODULES): web/package.json web/package-lock.json web/.npmrc
	@echo "Installing what the web page is made with."
	@npm --prefix web ci --no-progress --loglevel=error
	@touch $@

$(PAGE): $(PAGE_MADE_OF) $(NODE_MODULES)
	@echo "Building the web page."
	@cd web && node_modules/.bin/vite build --logLevel error
	@touch $@

# The stamps say what is installed already, so a second run starts at once.

$(VENV)/.stamp-venv:
	@command -v $(PYTHON) >/dev/null || \
		{ echo "make: $(PYTHON) was not found. Install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "make: $(PYTHON) is older than 3.11. Install Python 3.11 or newer, or name one: make PYTHON=python3.11." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "make: $(PYTHON) has no venv module. Install it (on Debian and Ubuntu: apt install python3-venv), then run make again." >&2; exit 1; }
	@echo "Making a virtual environment in $(VENV)."
	@$(PYTHON) -m venv --clear $(VENV) || \
		{ rm -rf $(VENV); echo "make: the virtual environment could not be made. Read the message above; is there room and may you write here?" >&2; exit 1; }
	@touch $@

# The builder is installed beside the rest and used without isolation, so that it is pinned like everything else.
$(VENV)/.stamp-build: $(VENV)/.stamp-venv constraints/build.txt
	@$(PIP) -c constraints/build.txt hatchling editables || { $(PIP_ADVICE); exit 1; }
	@touch $@

$(VENV)/.stamp-runtime: $(VENV)/.stamp-build $(MADE_OF)
	@echo "Installing chatd and what it runs on."
	@$(PIP) -c constraints/runtime.txt -c constraints/build.txt --no-build-isolation -e . || { $(PIP_ADVICE); exit 1; }
	@touch $@

# As pip does it with packages: where Python may write no bytecode (PYTHONDONTWRITEBYTECODE), every start of the
# server would compile all of it, which takes longer than everything else.
$(VENV)/.stamp-compiled: $(VENV)/.stamp-runtime $(shell find src/chatd -name '*.py' 2>/dev/null)
	@$(BIN)/python -m compileall -q src/chatd
	@touch $@

# Both lists of pins are given: should they ever disagree, pip says so here. What serves is then installed as well.
$(VENV)/.stamp-dev: $(VENV)/.stamp-build $(MADE_OF) constraints/dev.txt
	@echo "Installing chatd and what its checks and tests run on."
	@$(PIP) -c constraints/dev.txt -c constraints/runtime.txt -c constraints/build.txt --no-build-isolation -e '.[dev]' || { $(PIP_ADVICE); exit 1; }
	@touch $(VENV)/.stamp-runtime $@

# Apart from the rest, so that the checks and the server do without it.
$(VENV)/.stamp-docs: $(VENV)/.stamp-dev constraints/docs.txt
	@echo "Installing what makes the site of the documentation."
	@$(PIP) -c constraints/docs.txt -c constraints/dev.txt -c constraints/runtime.txt -c constraints/build.txt --no-build-isolation -e '.[docs]' || { $(PIP_ADVICE); exit 1; }
	@touch $(VENV)/.stamp-runtime $@
