# `make run` serves the site, `make test` proves it; both install what they need.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MANAGE := $(BIN)/python manage.py

.DEFAULT_GOAL := help
.PHONY: help run demo admin test test-long bench lint format lock audit install

help:  ## show what make can do
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 12

run: $(VENV)/.runtime  ## install what is needed and serve the site on http://localhost:8000
	@exec $(MANAGE) serve

# Whatever stores the environment names, the demo keeps to its own.
DEMO := env -u DATABASE_URL -u REDIS_URL SOCIALSITE_ENV_FILE=/dev/null SOCIALSITE_DATA_DIR=var/demo

demo: $(VENV)/.runtime  ## serve a made-up community from a data folder of its own, and print a login
	@$(DEMO) $(MANAGE) seed_demo
	@exec $(DEMO) $(MANAGE) serve

admin: $(VENV)/.runtime  ## create an administrator, who makes others moderators
	@$(MANAGE) migrate --verbosity 0
	@exec $(MANAGE) createsuperuser

# Some tests start whole clusters, or count round trips to the last one. What fails beside the others
# has to pass alone, in a process of its own.
SEED ?= 1
AGAIN := $(BIN)/pytest --last-failed --last-failed-no-failures none

test: $(VENV)/.dev chromium nginx lint  ## run the linters and every test
	@$(BIN)/pytest -n auto --hypothesis-seed=$(SEED) $(ARGS) || $(AGAIN) $(ARGS)

ON_POSTGRES := TEST_DATABASE=postgres $(BIN)/pytest
WRITING_APPS := users relations statuses lists timelines taskqueue upkeep web

# 150 random lives, the same for the same SEED, take two processes: one for pushed authors alone, one with pulled ones.
test-long: $(VENV)/.dev postgres  ## look for differences in 150 lives of a site, and test a big one and PostgreSQL
	@HYPOTHESIS_EXAMPLES=150 $(BIN)/pytest -n 2 --hypothesis-seed=$(SEED) tests/timelines/test_properties.py $(ARGS)
	@$(BIN)/pytest -m long tests/redistools $(ARGS) || $(AGAIN) -m long $(ARGS)
	@$(BIN)/pytest -m long tests/big_site $(ARGS)
	@$(ON_POSTGRES) -m long tests/big_site $(ARGS)
	@$(ON_POSTGRES) -n auto --ignore=tests/timelines/test_properties.py $(WRITING_APPS:%=tests/%) $(ARGS) || TEST_DATABASE=postgres $(AGAIN) $(ARGS)

bench: $(VENV)/.dev  ## measure everything beside baselines, or one question: make bench NAME=fan_out
	@$(BIN)/python -m bench $(NAME)
	@$(BIN)/python -m bench.document

lint: $(VENV)/.dev  ## check format, style and types
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy .

format: $(VENV)/.dev  ## put the code into shape
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format .

lock: $(VENV)/.dev  ## write the hashes of what requirements.txt pins to requirements.lock
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-annotate --no-header --no-emit-index-url -o requirements.lock requirements.txt

audit: $(VENV)/.dev  ## look for known weaknesses in what the site installs
	@PATH="$(BIN):$$PATH" deploy/audit.sh

install: $(VENV)/.dev  ## only install, with the development tools

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11 …")'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: requirements.lock | $(VENV)/bin/python
	@echo "installing what the site needs …"
	@$(BIN)/pip install -qq --disable-pip-version-check --require-hashes -r requirements.lock
	@touch $@

$(VENV)/.dev: requirements-dev.txt $(VENV)/.runtime
	@echo "installing the development tools …"
	@$(BIN)/pip install -qq --disable-pip-version-check -r requirements-dev.txt
	@touch $@

# The browser tests drive the system's Chromium; only root can install it here.
.PHONY: chromium
chromium:
	@command -v chromium >/dev/null || deploy/install-chromium.sh

# And one test reads the site through the system's nginx.
.PHONY: nginx
nginx:
	@PATH="$$PATH:/usr/sbin" command -v nginx >/dev/null || deploy/install-nginx.sh

# The long tests start a PostgreSQL of their own.
.PHONY: postgres
postgres:
	@ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || command -v postgres >/dev/null || deploy/install-postgres.sh
