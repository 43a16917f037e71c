# Everything a newcomer needs: `make demo` and `make test`. Needs Python 3.11 or newer, make, git.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip
INSTALL := $(PIP) install --quiet --disable-pip-version-check --constraint constraints.txt
# Two test processes with one thread each finish sooner than one with many.
TEST_WORKERS ?= 2

.PHONY: demo test quick fuzz check docs format benchmarks screenshots clean help

help:
	@echo "make demo        install, run every suite on embedded and planted models, write a report"
	@echo "make test        install, run every test"
	@echo "make quick       the quick tests with whatever versions are installed in .venv"
	@echo "make fuzz        read many random files and replies of servers"
	@echo "make check       ruff, mypy, the layers of the package, and its words"
	@echo "make docs        build the documentation site in build/site and check its links"
	@echo "make format      let ruff fix what it can"
	@echo "make benchmarks  run the measurements quoted in docs/"
	@echo "make screenshots the pictures in docs/images, by Chromium"

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Epicene needs Python 3.11 or newer; call make PYTHON=/path/to/it.")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/demo.installed: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) --editable '.[hf]'
	@touch $@

$(VENV)/test.installed: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) --editable '.[all,faces,docs,dev]'
	@touch $@ $(VENV)/demo.installed

demo: $(VENV)/demo.installed
	$(BIN)/epicene demo

test: $(VENV)/test.installed
	$(BIN)/epicene models fetch smollm2
	$(BIN)/epicene models fetch face-classifier
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(TEST_WORKERS) --dist loadgroup

# For the oldest and the newest allowed versions: installs nothing.
quick:
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m 'not published and not browser and not faces and not embedded' \
		tests/core tests/stats tests/languages tests/models/hf/test_hf_loading.py \
		tests/models/hf/scoring/test_hf_routes.py tests/models/hf/vision/test_hf_vision_model.py \
		tests/models/openai tests/studies/web tests/show/test_report_figures.py

fuzz: $(VENV)/test.installed
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(TEST_WORKERS) --hypothesis-profile=fuzz tests/fuzz

check: $(VENV)/test.installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python tests/words.py

docs: $(VENV)/test.installed
	PYTHONPATH=docs $(BIN)/python -m website

format: $(VENV)/test.installed
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

benchmarks: $(VENV)/test.installed
	for script in benchmarks/*.py; do $(BIN)/python $$script || exit 1; done

screenshots: $(VENV)/test.installed
	PYTHONPATH=tests:docs $(BIN)/python -m screenshots

clean:
	rm -rf $(VENV) demo build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
