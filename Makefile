# On a fresh machine with Python 3.11 or newer and make, two commands are enough: `make book` and `make test`.
# `make help` lists all of them. Each target sets up what it needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV_VERSION := 0.13.8

# Without compiled modules every kernel would compile sympy anew; numba keeps its own cache.
unexport PYTHONDONTWRITEBYTECODE
# The environment is our own, whatever else is active.
unexport PYTHONPATH VIRTUAL_ENV CONDA_PREFIX

# Another seed for the random systems of the tests: make test SEED=3
SEED ?=
PYTEST := -q -n auto $(if $(SEED),--hypothesis-seed=$(SEED))
# How many seconds a slow test may take; pyproject.toml has the limit of the others.
PATIENCE := --timeout 7200
# Tests and experiments run side by side, where threads of linear algebra would only wait for each other.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
EXPERIMENT = $(subst -,_,$(NAME))
EXPERIMENTS = $(notdir $(basename $(shell grep -l "^def main" mjq_book/experiments/*.py)))

.PHONY: help book test tested built test-slow style notebooks slides lab pdf refresh experiment
.PHONY: sync-policies sync-panels sync-output bench clean lock

help:  ## List the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' Makefile
	@echo "Experiments: $(EXPERIMENTS)"

book: $(VENV)/ready  ## Execute what changed, build the book, print the page to open; SOLUTIONS=off leaves solutions out.
	@$(BIN)/python book/build.py

# The book comes first: what its chapters print is then compared, and need not be computed twice. If it fails, tests say
# more. Of a book that was built for these tests, they do not look again whether it is up to date. Style is checked
# beside them, and told at the end.
BUILT := _build/.tests.built
STYLE := _build/.tests.style
test: $(VENV)/ready  ## Build the book, check style and types, run the tests; SEED=3 tries other random systems.
	@mkdir -p $(dir $(STYLE)); $(MAKE) --no-print-directory style >$(STYLE) 2>&1 & style=$$!; \
		trap "kill $$style 2>/dev/null" INT TERM; $(MAKE) --no-print-directory tested; tests=$$?; \
		wait $$style; style=$$?; cat $(STYLE); exit $$((tests | style))

tested: built
	$(ONE_THREAD) $(BIN)/python -m pytest $(PYTEST) --testrunuid=$$(cat $(BUILT) 2>/dev/null || date +%s) --doctest-modules \
		--doctest-glob README.md --played --nbval-current-env README.md mjq mjq_logs mjq_book tests notebooks

built: $(VENV)/ready
	@rm -f $(BUILT); $(BIN)/python book/build.py && date +%s > $(BUILT) || true

style: $(VENV)/ready  ## Check style, types and who imports whom, alone.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check conftest.py mjq mjq_logs mjq_book book tests benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/codespell

notebooks: $(VENV)/ready  ## Write notebooks for students, without solutions, to _build/student.
	@$(BIN)/python book/student.py

slides: $(VENV)/ready  ## Write slides for the sessions of the course to _build/slides.
	@$(BIN)/python book/slides.py

lab: $(VENV)/ready  ## Open the chapters in JupyterLab; what you save there is saved in notebooks/.
	$(BIN)/jupyter lab notebooks

pdf: book  ## Print the book to _build/mjq-book.pdf; this needs Chromium or Chrome.
	@$(BIN)/python book/pdf.py

refresh: $(VENV)/ready  ## Execute all chapters, or CHAPTER=stability, and store the outputs in notebooks/.
	@$(BIN)/python book/build.py --refresh $(CHAPTER)

experiment: $(VENV)/ready  ## Repeat a long computation and store its tables: NAME=evaluation.
	$(if $(filter $(EXPERIMENT),$(EXPERIMENTS)),,$(error NAME must be one of: $(EXPERIMENTS)))
	$(ONE_THREAD) $(BIN)/python -c "from mjq_book.experiments import $(EXPERIMENT); $(EXPERIMENT).main()"

test-slow: $(VENV)/ready  ## Run the long tests, which `make test` leaves out.
	$(ONE_THREAD) $(BIN)/python -m pytest $(PYTEST) -m slow $(PATIENCE) tests

sync-policies: $(VENV)/ready  ## Compute anew what follows from the rule of a policy: schedules, charts, the chapter.
	$(BIN)/python -m mjq_book.published.schedules.making
	$(BIN)/python book/charts.py
	@$(BIN)/python book/build.py --refresh scheduling

sync-panels: $(VENV)/ready  ## Compute the tables in which panels interpolate; minutes.
	PYTHONPATH=book $(BIN)/python book/panels/near_saturation.py
	PYTHONPATH=book $(BIN)/python book/panels/cluster.py
	PYTHONPATH=book $(BIN)/python book/panels/what_a_log_remembers.py

sync-output: $(VENV)/ready  ## Run the commands whose output the pages show, and store what they print.
	@$(BIN)/python book/output.py

bench: $(VENV)/ready  ## Measure the speed of our solvers beside plain alternatives.
	$(BIN)/python -m benchmarks

clean:  ## Remove what was built.
	rm -rf _build .pytest_cache .hypothesis .ruff_cache .mypy_cache
	find mjq mjq_logs mjq_book tests book benchmarks -name __pycache__ -type d -exec rm -rf {} +

# The environment: what requirements.lock names, by hash, and the project itself.
$(VENV)/ready: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 15) and "Python 3.11 to 3.14 is needed, this is " + sys.version.split()[0])'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	$(BIN)/uv pip sync --quiet --require-hashes --python $(BIN)/python requirements.lock
	$(BIN)/uv pip install --quiet --no-deps --no-build-isolation --python $(BIN)/python --editable .
	@touch $@
	@$(if $(filter book test built pdf,$(MAKECMDGOALS)),:,($(WARM)) >/dev/null 2>&1 </dev/null &)

# What most people run first is compiled while a core is free: numba keeps it, so that nobody waits for it later. The
# book compiles it anyway, and leaves no core free.
WARM := nice -n 19 $(BIN)/python .ci/warm.py
LOCK := uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate \
	--no-emit-index-url --no-emit-find-links
lock: $(VENV)/ready  ## Write the lock file after a change of the dependencies in pyproject.toml.
	$(BIN)/$(LOCK) --all-extras --output-file requirements.lock pyproject.toml
