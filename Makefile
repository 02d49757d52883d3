# `make run` serves the site, `make test` proves it; both install what they need.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MANAGE := $(BIN)/python manage.py

# Without kept bytecode every process that starts would compile hundreds of modules again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run demo admin test test-long test-redis chaos bench screenshots lint style format messages lock audit install

help:  ## show what make can do
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 12

run: $(VENV)/.runtime  ## install what is needed and serve the site on http://localhost:8000
	@exec $(MANAGE) serve

# Whatever stores the environment names, the demo keeps to its own.
DEMO := env -u DATABASE_URL -u REDIS_URL SOCIALSITE_ENV_FILE=/dev/null SOCIALSITE_DATA_DIR=var/demo

demo: $(VENV)/.runtime  ## serve a made-up community from a data folder of its own, and print a login
	@$(DEMO) $(MANAGE) seed_demo
	@exec $(DEMO) $(MANAGE) serve

admin: $(VENV)/.runtime  ## create an administrator, beside the one who signed up first
	@$(MANAGE) migrate --verbosity 0
	@exec $(MANAGE) createsuperuser

# The random lives are the same for the same seed.
SEED ?= 1

# Packages, browser and linters come side by side: each installer works on one core. mypy takes half
# a minute of one: it runs beside the tests, and says what it found after them.
test:  ## run the linters and every test
	@$(MAKE) --no-print-directory -j 2 $(VENV)/.dev chromium nginx style
	@report=$$(mktemp); $(BIN)/mypy . >$$report 2>&1 & types=$$!; \
		$(BIN)/pytest -n auto --hypothesis-seed=$(SEED) $(ARGS); tests=$$?; \
		wait $$types; types=$$?; cat $$report; rm $$report; [ $$tests$$types = 00 ]

ON_POSTGRES := TEST_DATABASE=postgres $(BIN)/pytest
LONG_WAYS := interface end_to_end backup bench streaming privacy upkeep socialsite processes demo
WRITING_APPS := configuration pictures users staff relations tags statuses notifications chats lists timelines search moderation insight taskqueue upkeep web backup
TRIPS_AND_OUTAGES := socialsite/test_postgresql_trips.py socialsite/test_reduced_service.py socialsite/test_patience.py

# What is different on a Redis Cluster; the random lives there would take too long.
ON_CLUSTER := TEST_REDIS=cluster $(BIN)/pytest
CLUSTERED := taskqueue relations tags timelines streaming chats users/login users/test_limits.py users/test_races.py \
	search/test_window.py search/test_keeping_window.py redistools/loaded_set $(patsubst %,redistools/test_%.py,rate_limit lock semaphore ids writing_until_stable)

# 150 random lives take two processes: one for pushed authors alone, one with pulled ones.
test-long: $(VENV)/.dev chromium postgres  ## look for differences in 150 lives of a site, and test a big one, PostgreSQL and a cluster
	@HYPOTHESIS_EXAMPLES=150 $(BIN)/pytest -n 2 --hypothesis-seed=$(SEED) tests/timelines/test_properties.py $(ARGS)
	@$(BIN)/pytest -m long -n 2 tests/redistools tests/timelines $(ARGS)
	@$(BIN)/pytest -m long -n 2 $(LONG_WAYS:%=tests/%) $(ARGS)
	@$(BIN)/pytest -m long -rfEPR -n 2 tests/chaos $(ARGS)
	@$(BIN)/pytest -m long tests/big_site $(ARGS)
	@$(ON_POSTGRES) -m long tests/big_site tests/end_to_end/test_pgbouncer.py $(ARGS)
	@$(ON_POSTGRES) -n auto --hypothesis-seed=$(SEED) $(WRITING_APPS:%=tests/%) $(TRIPS_AND_OUTAGES:%=tests/%) $(ARGS)
	@$(ON_CLUSTER) -n 2 --ignore tests/timelines/test_properties.py $(CLUSTERED:%=tests/%) $(ARGS)

# What is different on another Redis than the shipped one.
ON_REDIS := REDIS_SERVER=redis-server $(BIN)/pytest
SERVED := redistools taskqueue relations tags timelines streaming \
	$(patsubst %,socialsite/test_%.py,full_stores hanging_redis patience reduced_service deploy)

test-redis: $(VENV)/.dev redis  ## test the core on the redis-server of PATH, also where another is shipped
	@$(ON_REDIS) -n 2 --ignore tests/timelines/test_properties.py $(SERVED:%=tests/%) $(ARGS)
	@$(ON_REDIS) -n 2 -m long tests/redistools $(ARGS)

SECONDS ?= 300

chaos: $(VENV)/.dev  ## kill the processes of a busy site at random, and look for what was lost: make chaos SEED=7 SECONDS=60
	@$(BIN)/python -m tests.chaos --seed $(SEED) --seconds $(SECONDS)

bench: $(VENV)/.dev  ## measure everything beside baselines, or one question: make bench NAME=fan_out
	@$(BIN)/python -m bench $(NAME)
	@$(BIN)/python -m bench.document

screenshots: $(VENV)/.dev chromium  ## take the pictures in docs/screenshots from the demo community
	@DJANGO_SETTINGS_MODULE=tests.settings $(BIN)/python -m tests.interface.screenshots

lint: style  ## check format, style and types
	@$(BIN)/mypy .

style: $(VENV)/.dev
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .

format: $(VENV)/.dev  ## put the code into shape
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format .

messages: $(VENV)/.dev  ## bring the translations in locale/ up to date, and say what is not translated yet
	@$(BIN)/python -m translating

lock: $(VENV)/.packages  ## write the hashes of what requirements.txt pins to requirements.lock
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-annotate --no-header --no-emit-index-url -o requirements.lock requirements.txt

audit: $(VENV)/.packages  ## look for known weaknesses in what the site installs
	@PATH="$(BIN):$$PATH" deploy/audit.sh

install: $(VENV)/.dev  ## only install, with the development tools

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11 …")'
	@echo "making $(VENV) …"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: requirements.lock | $(VENV)/bin/python
	@echo "installing what the site needs …"
	@$(BIN)/pip install -qq --disable-pip-version-check --require-hashes -r requirements.lock
	@touch $@

# Most modules of the tools are never loaded: Python compiles those that are.
$(VENV)/.dev: requirements-dev.txt $(VENV)/.runtime
	@echo "installing the development tools …"
	@$(BIN)/pip install -qq --no-compile --disable-pip-version-check -r requirements-dev.txt
	@touch $@

$(VENV)/.packages: requirements-packages.txt $(VENV)/.runtime
	@echo "installing the tools for packages …"
	@$(BIN)/pip install -qq --no-compile --disable-pip-version-check -r requirements-packages.txt
	@touch $@

# The browser tests drive Debian's Chromium, and need its fonts for Chinese, Japanese and emoji;
# only root can install them here.
.PHONY: chromium
chromium:
	@{ command -v chromium-headless-shell && fc-list :lang=zh-cn | grep . && fc-list :lang=ja | grep . && \
		fc-list :charset=1f600:color=true | grep .; } >/dev/null 2>&1 || deploy/install-chromium.sh

# And one test reads the site through the system's nginx. After Chromium: Debian installs one thing
# at a time.
.PHONY: nginx
nginx: chromium
	@PATH="$$PATH:/usr/sbin" command -v nginx >/dev/null || deploy/install-nginx.sh

# Unlike the one that comes with the site.
.PHONY: redis
redis:
	@command -v redis-server >/dev/null || deploy/install-redis.sh

# The long tests start a PostgreSQL of their own.
.PHONY: postgres
postgres:
	@export PATH="$$PATH:/usr/sbin:$$(echo /usr/lib/postgresql/*/bin | tr ' ' ':')"; \
		{ command -v postgres && command -v pgbouncer; } >/dev/null || deploy/install-postgres.sh
