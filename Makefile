# Two commands are enough on a fresh machine with Python 3.11 or newer and make:
#   make book   execute the chapters and build the book
#   make test   check everything
# make pdf prints the book to one file.
# Each target sets up what it needs.

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
# Tests run side by side: threads of linear algebra would only wait for each other. make elsewhere has several.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1

.PHONY: book pdf test test-plain coverage elsewhere pythons thorough lab refresh contents bench clean lock
.PHONY: frontier evaluation autoscaling fluid-times depletion near-saturation public-logs real-waits coverage-of-intervals panels

book: $(VENV)/ready
	@$(BIN)/python book/build.py

# The book as one PDF file, beside its pages; needs Chromium or Chrome.
pdf: book
	@$(BIN)/python book/pdf.py

# The book comes first: what its chapters print is then compared, and need not be computed twice. If it fails, tests say more.
test: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check mjq book tests benchmarks
	-@$(BIN)/python book/build.py
	$(ONE_THREAD) $(BIN)/python -m pytest $(PYTEST) --doctest-modules --doctest-glob README.md \
		--played --nbval-lax --nbval-current-env README.md mjq tests notebooks

# Small cases of all that is compiled, once compiled and once as plain Python: equal to the last bit.
test-plain: $(VENV)/ready
	$(ONE_THREAD) $(BIN)/python -m pytest -q -m slow tests/project/test_plain.py

# All that compares numbers, as processors of other makes and ages would compute it; HOW=--together: in one run.
elsewhere: $(VENV)/ready
	$(BIN)/python -m tests.elsewhere $(HOW)

# make test with each Python that is here.
pythons:
	for version in 3.11 3.12 3.13; do \
		if python$$version -c "" 2>/dev/null; then \
			$(MAKE) test PYTHON=python$$version VENV=_build/venv-$$version || exit 1; \
		else echo "python$$version is not here: not tried"; fi; \
	done

# Which lines of mjq the tests run; compiled functions and what kernels run do not count.
coverage: $(VENV)/ready
	$(ONE_THREAD) $(BIN)/python -m pytest $(PYTEST) --doctest-modules --cov=mjq --cov-report=term:skip-covered mjq tests

thorough: $(VENV)/ready
	$(ONE_THREAD) $(BIN)/python -m pytest $(PYTEST) -m slow tests

lab: $(VENV)/lab
	$(BIN)/jupyter lab notebooks

# make refresh CHAPTER=stability: only that one.
refresh: $(VENV)/ready
	@$(BIN)/python book/build.py --refresh $(CHAPTER)

# What is written of the list of chapters in mjq.models: _toc.yml, the table in README.md, sections of the ledger.
contents: $(VENV)/ready
	@$(BIN)/python book/contents.py

bench: $(VENV)/ready
	$(BIN)/python -m benchmarks

frontier: $(VENV)/ready
	$(BIN)/python -m mjq.experiments.frontier

evaluation: $(VENV)/ready
	$(BIN)/python -m mjq.experiments.evaluation

autoscaling: $(VENV)/ready
	$(BIN)/python -m mjq.experiments.decisions

# On one core: threads that wait for each other would be counted too.
fluid-times: $(VENV)/ready
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m mjq.experiments.fluid_times

depletion: $(VENV)/ready
	$(BIN)/python -m mjq.experiments.depletion

# On one core, as fluid-times.
near-saturation: $(VENV)/ready
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m mjq.experiments.near_saturation

# From the folder with logs of the Parallel Workloads Archive that MJQ_TRACES names, or ../shared/traces.
public-logs: $(VENV)/ready
	$(BIN)/python -m mjq.experiments.public_logs

# Where MJQ_TRACES names a folder with logs that have waits of their own.
real-waits: $(VENV)/ready
	$(BIN)/python -m mjq.experiments.real_waits

# How often intervals from one log hold: half an hour.
coverage-of-intervals: $(VENV)/ready
	$(BIN)/python -m mjq.experiments.coverage

# The tables in which panels interpolate; a minute.
panels: $(VENV)/ready
	PYTHONPATH=book $(BIN)/python book/panels/near_saturation.py
	PYTHONPATH=book $(BIN)/python book/panels/cluster.py

clean:
	rm -rf _build .pytest_cache .hypothesis .ruff_cache
	find mjq tests book benchmarks -name __pycache__ -type d -exec rm -rf {} +

# The environment: what requirements.lock names, by hash, and the project itself.
$(VENV)/ready: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14) and "Python 3.11, 3.12 or 3.13 is needed, this is " + sys.version.split()[0])'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	$(BIN)/uv pip sync --quiet --require-hashes --compile-bytecode --python $(BIN)/python requirements.lock
	$(BIN)/uv pip install --quiet --no-deps --no-build-isolation --python $(BIN)/python --editable .
	@touch $@

# JupyterLab beside it.
$(VENV)/lab: $(VENV)/ready requirements-lab.lock
	$(BIN)/uv pip install --quiet --require-hashes --compile-bytecode --python $(BIN)/python -r requirements-lab.lock
	@touch $@

# Both locks, after a change of the dependencies in pyproject.toml.
LOCK := uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate \
	--no-emit-index-url --no-emit-find-links
lock: $(VENV)/ready
	$(BIN)/$(LOCK) --extra chapters --extra book --extra test --extra bench \
		--output-file requirements.lock pyproject.toml
	$(BIN)/$(LOCK) --extra lab --constraint requirements.lock --output-file requirements-lab.lock pyproject.toml
