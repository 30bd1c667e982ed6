# Each target sets up what it needs in .venv; a second call finds it done.
#
#   make demo       the main job: check and write the gradient of a CUDA launch function, on this machine's CPU
#   make test       everything that must hold: lint, types, import layers, tests
#   make docs       the documentation as a site: build/site/index.html
#
# Overrides (make demo NAME=value, or in the environment):
#   PYTHON          the interpreter .venv is made from (3.11 or later)
#   VENV            where the environment goes (no spaces)
#   HETAD_PYTHON    use this interpreter as it is and set nothing up
#   HETAD_CC        the C compiler; without it `cc`, and without that the ziglang wheel
#   PYTEST_ARGS     passed on to pytest, e.g. PYTEST_ARGS='-k axpy'

VENV ?= .venv
PYTEST_ARGS ?=
PYTEST_JOBS ?= auto
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
SECONDS ?= 600
BACKEND ?= cpu
CAMPAIGN_ARGS ?=
SAMPLE ?= 40
MUTATION_ARGS ?=
LIMIT ?= 0

ifdef HETAD_PYTHON
PY := $(HETAD_PYTHON)
else
PY := $(VENV)/bin/python
RUN_READY := $(VENV)/.ready-run
DEV_READY := $(VENV)/.ready-dev
DOCS_READY := $(VENV)/.ready-docs
GPU_READY := $(VENV)/.ready-gpu
MUTATION_READY := $(VENV)/.ready-mutation
endif

.PHONY: demo docs dist test lint types layers tests fibers sanitize looks campaign fuzz mutation coverage quick gpu-test format hooks golden clean help
.DEFAULT_GOAL := help

help:
	@sed -n 's/^#   \(make .*\)/\1/p' Makefile

# --- for users ------------------------------------------------------------------------------------

demo: $(RUN_READY)
	$(PY) -m hetad gradcheck samples/tensor_contraction.toml --backend cpu
	@mkdir -p build
	$(PY) -m hetad grad samples/tensor_contraction.cu launchTensorContraction3D --wrt A,B --of C \
		-o build/tensor_contraction_grad.cu
	@echo "The gradient as CUDA, for nvcc: build/tensor_contraction_grad.cu"

# Strict: a page that is in no menu, a link that leads nowhere, anything loaded from elsewhere ends it.
docs: $(DOCS_READY)
	NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict --quiet
	$(PY) tools/check_site.py build/site
	@echo "The site: build/site/index.html"

test: lint types layers tests

# --- for contributors -----------------------------------------------------------------------------

lint: $(DEV_READY)
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .

types: $(DEV_READY)
	$(PY) -m mypy

layers: $(DEV_READY)
	$(PY) -c 'from importlinter.cli import lint_imports_command; lint_imports_command()' --no-logo

tests: $(DEV_READY)
	$(PY) -m pytest -n $(PYTEST_JOBS) $(PYTEST_ARGS)

# The corpus once more with one fiber a thread, in a shuffled order: slow, exact about barriers and races; then under the
# race detector, with every access checked, and through `hetad check`.
fibers: $(DEV_READY)
	HETAD_TEST_TURN=all HETAD_CPU_MODE=fibers HETAD_CPU_SEED=7 $(PY) -m pytest -n $(PYTEST_JOBS) tests/gradient $(LONG:%=--ignore=%) $(PYTEST_ARGS)
	$(PY) -m pytest -n $(PYTEST_JOBS) -m sweep tests/gradient $(LONG:%=--ignore=%) $(PYTEST_ARGS)

# The corpus under AddressSanitizer and UBSan, which find what emitted C reads and computes where C has no meaning.
SANITIZED := tests/gradient/test_sanitized.py
sanitize: $(DEV_READY)
	LD_PRELOAD="$$(cc -print-file-name=libasan.so) $$(cc -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0:halt_on_error=0 \
	$(PY) -m pytest -n $(PYTEST_JOBS) -m sweep $(SANITIZED) $(PYTEST_ARGS)

# Longer second looks at the corpus: derivatives differentiated again, accesses that are checked.
LOOKS := tests/gradient/test_again.py tests/gradient/test_checked.py
LONG := $(LOOKS) $(SANITIZED)
looks: $(DEV_READY)
	$(PY) -m pytest -n $(PYTEST_JOBS) -m sweep $(LOOKS) $(PYTEST_ARGS)

# Random programs for SECONDS in JOBS processes, each gradient against independent oracles; what fails is shrunk and kept
# in build/found.  BACKEND=cuda tries them on all GPUs.
campaign: $(DEV_READY)
	$(PY) tools/campaign.py --seconds $(SECONDS) --jobs $(JOBS) --backend $(BACKEND) --found build/found $(CAMPAIGN_ARGS)

# Programs of the corpus with changed tokens and characters, each day others: each is a program, or refused.
fuzz: $(DEV_READY)
	$(PY) -m pytest -n $(PYTEST_JOBS) tests/property/test_frontend.py \
		--hypothesis-profile=deep --hypothesis-seed=$$(date +%Y%m%d) $(PYTEST_ARGS)

# Changes rules and proofs in small ways, one at a time, SAMPLE of each file in JOBS processes for SECONDS, and lists the
# changes that the tests near to them do not notice: build/survivors.diff.  Goes on where it was stopped.
mutation: $(MUTATION_READY)
	$(PY) tools/mutation.py --jobs $(JOBS) --seconds $(SECONDS) --sample $(SAMPLE) $(MUTATION_ARGS)

# The lines that tests reach, in all processes that they start; half again as long as the tests, or LIMIT seconds.  A
# sample of the suite: PYTEST_ARGS='--part 0/24'.  What other runs have kept reaches none.  Tests may fail.
coverage: $(DEV_READY)
	@mkdir -p build
	$(PY) -m coverage erase
	-PYTHONPATH="tools/measured:$$PYTHONPATH" HETAD_KEEP=0 timeout -s INT -k 60 $(LIMIT) \
		$(PY) -m coverage run -m pytest -q -n $(JOBS) --dist worksteal $(PYTEST_ARGS)
	$(PY) -m coverage combine --quiet
	$(PY) -m coverage report | tee build/coverage.txt

# The tests alone, without those that take long.
quick: $(DEV_READY)
	$(PY) -m pytest -n $(PYTEST_JOBS) -m 'not slow and not sweep' $(PYTEST_ARGS)

# The whole suite with the GPU in use: a machine where it cannot be used is a failure here, not a skip.
gpu-test: $(GPU_READY)
	HETAD_TEST_TURN=all HETAD_TEST_BACKEND=both $(PY) -m pytest -n 4 $(PYTEST_ARGS)

format: $(DEV_READY)
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

# Rewrites the expected adjoints of tests/golden, and the output that the docs show, from what hetad emits now.
golden: $(DEV_READY)
	$(PY) -m pytest tests/golden tests/unit/test_docs.py --update-golden $(PYTEST_ARGS)

# What would go to an index: the source with its tests, samples and docs, and the wheel made of it.
dist: $(DEV_READY)
	rm -rf dist
	$(PY) -m build
	$(PY) -m twine check --strict dist/*

hooks: $(DEV_READY)
	$(PY) -m pre_commit install

clean:
	rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache $(VENV)

# --- set-up: one stamp per set of extras ----------------------------------------------------------

$(VENV)/.ready-run: pyproject.toml tools/make-venv
	tools/make-venv $(VENV)
	@touch $@

$(VENV)/.ready-dev: pyproject.toml tools/make-venv
	tools/make-venv $(VENV) dev
	@touch $@

$(VENV)/.ready-docs: pyproject.toml tools/make-venv
	tools/make-venv $(VENV) docs
	@touch $@

$(VENV)/.ready-gpu: pyproject.toml tools/make-venv
	tools/make-venv $(VENV) test gpu
	@touch $@

$(VENV)/.ready-mutation: pyproject.toml tools/make-venv
	tools/make-venv $(VENV) dev mutation
	@touch $@
