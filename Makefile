# Everything runs in a virtual environment of the project's own, .venv; only Python (3.11 or later) and make are needed.
# PYTHON=python3.12 make test   takes another interpreter, where there is no .venv yet (make clean removes it).

PYTHON ?= $(firstword $(foreach p,python3 python3.13 python3.12 python3.11 python,$(if $(shell $(p) -c 'import sys; print(sys.version_info >= (3, 11) or "")' 2>/dev/null),$(p))))
VENV := .venv
BIN := $(VENV)/bin
export MPLBACKEND ?= agg
# bytecode is kept: else each process that a test starts compiles the package, and each run of pytest all tests
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo core test test-slow test-all test-floor test-sanitized fuzz lint bench papers papers-quick notebooks docs clean

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

# what the compiled part of the package is made of
CORE := setup.py $(wildcard tripletree/_core/*.cpp tripletree/_core/*.hpp)

# a stamp for each set of packages, redone when the metadata changes
$(VENV)/.run: setup.cfg pyproject.toml $(CORE) | $(BIN)/python
	@echo "installing tripletree and what it needs into $(VENV) with pip, and compiling the package: a minute or two, some 400 MB"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[plot,io,ask]'
	@touch $@

$(VENV)/.dev: setup.cfg pyproject.toml | $(BIN)/python
	@echo "installing what tests and development need into $(VENV) with pip: some minutes, some 2 GB"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(VENV)/.run $@

demo: $(VENV)/.run  ## the main job on real input, with its result on the screen and a picture
	@$(BIN)/tripletree demo

# where there is no stamp yet, the installation has just compiled all
$(VENV)/.core: $(CORE) | $(VENV)/.dev
	@stamp=$@; test -e $$stamp || stamp=$(VENV)/.dev; \
		test -z "$$(find $(CORE) -newer $$stamp)" || $(BIN)/python setup.py --quiet build_ext --inplace
	@touch $@

core: $(VENV)/.core  ## compile the C++ files that have changed (other targets do it first)

PYTEST = $(BIN)/python -m pytest -n 2 --dist worksteal

test: $(VENV)/.core  ## tests and doctests but for the slow ones (some minutes on two cores)
	@$(PYTEST) -m 'not slow'

test-slow: $(VENV)/.core  ## the slow tests, and those that read data beside the project or the system's
	@$(PYTEST) -m 'slow or shared' tests

test-all: $(VENV)/.core  ## all tests and doctests
	@$(PYTEST)

# the oldest versions that setup.cfg allows, on the oldest Python, in an environment of their own
FLOOR := .venv-floor
FLOOR_PYTHON ?= python3.11
FLOOR_EXTRAS := plot io ask interop dask
# what asks most of each dependency: estimators, sparse matrices and graphs, tables, pictures, the server, names, other libraries
FLOOR_TESTS ?= $(wildcard $(patsubst %,tests/core/test_%.py,build bindings interruptible) tests/peers/test_interop_*.py \
	$(patsubst %,tests/unit/test_%.py, \
	estimator_conventions recon_estimator divisive sparse cvqe pairs description score linkage linkage_files hostile_files missing_values \
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
	@$(FLOOR)/bin/python -m pytest -n 2 --dist worksteal -q \
		-m 'not slow and not shared and not browser' -k 'not test_cluster__ and not checks_of_scikit_learn' $(FLOOR_TESTS)

# The core is compiled once more, in a folder of its own. The sanitizer's library has to be the first that is loaded, and
# that of C++ with it, as the sanitizer looks for its exceptions. `-P` and the import keep Python from taking the checkout's
# package. Python itself leaves memory to the system.
SANITIZED := build/sanitized
SANITIZER := -O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined -D_GLIBCXX_ASSERTIONS
SANITIZED_TESTS ?= $(filter-out tests/core/test_interruptible.py,$(wildcard tests/core/test_*.py))
test-sanitized: $(VENV)/.core  ## the compiled core under AddressSanitizer and UBSan, with wrong input for each binding (two CPU minutes to compile, one to test)
	@command -v $(CXX) >/dev/null || { echo "make: no $(CXX) on the PATH: not tested with a sanitizer"; exit; }; set -e; \
	CXXFLAGS='$(SANITIZER)' $(BIN)/python setup.py --quiet build --build-lib $(SANITIZED) 2>/dev/null \
		|| { echo "make: the core does not compile with a sanitizer: $(CXX) and its libasan are needed" >&2; exit 1; }; \
	export LD_PRELOAD="$$(for x in asan ubsan stdc++; do printf '%s ' "$$($(CXX) -print-file-name=lib$$x.so)"; done)"; \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 PYTHONPATH=$(SANITIZED) \
		$(BIN)/python -P -c 'import sys, pytest, tripletree._core.engine; sys.exit(pytest.main(sys.argv[1:]))' \
		-q --capture=sys -m 'not slow' $(SANITIZED_TESTS)  # a report goes to the process's own error

FUZZ_SECONDS ?= 180
fuzz: $(VENV)/.core  ## random input for readers, constructors and functions, FUZZ_SECONDS=180 for each of two runs; what fails is kept in tests/corpus
	@$(BIN)/python tests/fuzzing.py --seconds $(FUZZ_SECONDS)
	@$(BIN)/python tests/differential.py --seconds $(FUZZ_SECONDS)

lint: $(VENV)/.core  ## style, types and the warnings of the C++ compiler
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/clang-format --dry-run --Werror tripletree/_core/*pp
	@! command -v $(CXX) >/dev/null || printf '%s\n' $(filter %.cpp,$(CORE)) | xargs -P 2 -n 1 $(CXX) -std=c++20 -fsyntax-only -Wall -Wextra -Werror $$($(BIN)/python \
		-c 'import nanobind, sysconfig as s; print("-isystem", nanobind.include_dir(), "-isystem", s.get_paths()["include"])')

bench: $(VENV)/.core  ## every benchmark, figures beside those of the peers (some minutes)
	@for f in benchmarks/bench_*.py; do echo; echo "== $$f"; $(BIN)/python $$f || exit 1; done

papers: $(VENV)/.core  ## the experiments of the five papers again, with a table of all claims (an hour or two; goes on where it stopped)
	@$(BIN)/python benchmarks/papers/run.py --n-jobs -1

papers-quick: $(VENV)/.core  ## a small form of the same, in benchmarks/papers/quick (at most five minutes)
	@$(BIN)/python benchmarks/papers/run.py --quick --n-jobs 2

notebooks: $(VENV)/.core  ## execute the notebooks again from their sources, and draw the pictures of the documentation
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
