# Everything runs in a virtual environment of the project's own, .venv; only Python (3.11 or later) and make are needed.
# PYTHON=python3.12 make test   takes another interpreter, where there is no .venv yet (make clean removes it).

PYTHON ?= $(firstword $(foreach p,python3 python3.13 python3.12 python3.11 python,$(if $(shell $(p) -c 'import sys; print(sys.version_info >= (3, 11) or "")' 2>/dev/null),$(p))))
VENV := .venv
BIN := $(VENV)/bin
# one cache of compiled kernels for the checkout, so that nothing outside it is written
export NUMBA_CACHE_DIR ?= $(CURDIR)/$(VENV)/numba-cache
export MPLBACKEND ?= agg
# bytecode is kept: else each process that a test starts compiles the package, and each run of pytest all tests
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo warmup test test-slow test-all test-plain test-bounds test-floor fuzz lint bench papers papers-quick notebooks docs clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "make: no Python 3.11 or later on the PATH; set PYTHON=/path/to/python" >&2; exit 1; }
	@version=$$("$(PYTHON)" -c 'import sys; print("%d.%d" % sys.version_info[:2], sys.version_info >= (3, 11))' 2>/dev/null) \
		|| { echo "make: PYTHON=$(PYTHON) does not run; set it to a Python 3.11 or later" >&2; exit 1; }; \
	case "$$version" in *True) ;; [0-9]*) echo "make: PYTHON=$(PYTHON) is $${version% *}; 3.11 or later is needed" >&2; exit 1;; \
		*) echo "make: PYTHON=$(PYTHON) is no Python" >&2; exit 1;; esac
	@echo "setting up $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "make: '$(PYTHON) -m venv' failed; on Debian and Ubuntu install python3-venv" >&2; exit 1; }

# a stamp for each set of packages, redone when the metadata changes
$(VENV)/.run: setup.cfg pyproject.toml | $(BIN)/python
	@echo "installing tripletree and what it needs into $(VENV) with pip: a minute or two, some 600 MB"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[plot,io,ask]'
	@touch $@

$(VENV)/.dev: setup.cfg pyproject.toml | $(BIN)/python
	@echo "installing what tests and development need into $(VENV) with pip: some minutes, some 2 GB"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(VENV)/.run $@

demo: $(VENV)/.run  ## the main job on real input, with its result on the screen and a picture
	@$(BIN)/tripletree demo

warmup: $(VENV)/.run  ## compile all kernels once, in parallel (one or two minutes; tests then start at once)
	@$(BIN)/tripletree warmup

PYTEST = $(BIN)/python -m pytest -n 2 --dist worksteal

test: $(VENV)/.dev  ## tests and doctests but for the slow ones (ten minutes on two cores, with nothing compiled yet)
	@$(PYTEST) -m 'not slow'

test-slow: $(VENV)/.dev  ## the slow tests, and those that read data beside the project or the system's
	@$(PYTEST) -m 'slow or shared' tests

test-all: $(VENV)/.dev  ## all tests and doctests
	@$(PYTEST)

PLAIN ?= tests/kernels
test-plain: $(VENV)/.dev  ## kernels as plain Python, JIT off, with coverage (PLAIN=tests/unit takes an hour)
	@TRIPLETREE_JIT=0 $(PYTEST) -q -m 'not slow' --cov --cov-report=term:skip-covered $(PLAIN)

# the other three check the cache, the wait and Ctrl-C, mostly in processes of their own: bounds add nothing there
NO_BOUNDS := $(patsubst %,tests/kernels/test_%.py,first_use interruptible jit)
test-bounds: $(VENV)/.dev  ## kernels compiled with bounds checking
	@NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(CURDIR)/$(VENV)/numba-cache-bounds $(PYTEST) -q \
		$(filter-out $(NO_BOUNDS),$(wildcard tests/kernels/test_*.py))

# the oldest versions that setup.cfg allows, on the oldest Python, in an environment of their own
FLOOR := .venv-floor
FLOOR_PYTHON ?= python3.11
FLOOR_EXTRAS := plot io ask interop dask
# what asks most of each dependency: estimators, sparse matrices and graphs, tables, pictures, the server, names, other libraries
FLOOR_TESTS ?= $(wildcard $(patsubst %,tests/kernels/test_%.py,build dispatch jit) tests/peers/test_interop_*.py \
	$(patsubst %,tests/unit/test_%.py, \
	sklearn_conventions recon_estimator divisive sparse cvqe pairs description score linkage linkage_files hostile_files missing_values \
	triplet_files pair_files arrow_triplets edges lineages names asking ask_widget dask plot plot_annotations plot_heatmap))
empty :=
comma := ,
$(FLOOR)/.installed: setup.cfg .ci/floor.py
	@"$(FLOOR_PYTHON)" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null \
		|| { echo "make: '$(FLOOR_PYTHON)' is no Python 3.11, the oldest that is supported; set FLOOR_PYTHON to one" >&2; exit 1; }
	@rm -rf $(FLOOR)
	@"$(FLOOR_PYTHON)" -m venv $(FLOOR)
	@$(FLOOR)/bin/python .ci/floor.py $(FLOOR_EXTRAS) >$(FLOOR)/oldest.txt
	@$(FLOOR)/bin/python -m pip install --quiet --disable-pip-version-check --constraint $(FLOOR)/oldest.txt \
		--editable '.[$(subst $(empty) $(empty),$(comma),$(FLOOR_EXTRAS))]' pytest pytest-xdist hypothesis httpx polars PyYAML \
		'pyparsing < 3.3'  # later ones warn under matplotlib 3.8, and here a warning is an error
	@touch $@

# (without test_cluster__...: a LocalCluster of Dask 2025.1 may hang when it is closed)
test-floor: $(FLOOR)/.installed  ## the oldest versions that setup.cfg allows, on Python 3.11 (three minutes to install them, up to nine to test)
	@NUMBA_CACHE_DIR=$(CURDIR)/$(FLOOR)/numba-cache $(FLOOR)/bin/python -m pytest -n 2 --dist worksteal -q \
		-m 'not slow and not shared and not browser' -k 'not test_cluster__' $(FLOOR_TESTS)

FUZZ_SECONDS ?= 180
fuzz: $(VENV)/.dev  ## random input for readers, constructors and functions, FUZZ_SECONDS=180 for each of two runs; what fails is kept in tests/corpus
	@$(BIN)/python tests/fuzzing.py --seconds $(FUZZ_SECONDS)
	@$(BIN)/python tests/differential.py --seconds $(FUZZ_SECONDS)

lint: $(VENV)/.dev  ## style and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

bench: $(VENV)/.dev  ## every benchmark, figures beside those of the peers (some minutes)
	@for f in benchmarks/bench_*.py; do echo; echo "== $$f"; $(BIN)/python $$f || exit 1; done

papers: $(VENV)/.dev  ## the experiments of the five papers again, with a table of all claims (an hour or two; goes on where it stopped)
	@$(BIN)/python benchmarks/papers/run.py --n-jobs -1

papers-quick: $(VENV)/.dev  ## a small form of the same, in benchmarks/papers/quick (at most five minutes)
	@$(BIN)/python benchmarks/papers/run.py --quick --n-jobs 2

notebooks: $(VENV)/.dev  ## execute the notebooks again from their sources, and draw the pictures of the documentation
	@$(BIN)/python notebooks/execute.py
	@$(BIN)/python docs/front.py
	@$(BIN)/python docs/pictures.py

$(VENV)/.docs: setup.cfg pyproject.toml | $(BIN)/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@

docs: $(VENV)/.docs  ## the documentation site, in build/docs/html; a warning is an error
	@$(BIN)/python docs/build.py

clean:  ## remove the virtual environment and everything made
	rm -rf $(VENV) $(FLOOR) build dist demo-output *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
