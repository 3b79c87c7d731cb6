# Two commands do everything, set-up included: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.ready

.PHONY: help setup demo test check bench clean

help:
	@echo "make demo   run the main job on four simulated phones with a scripted model"
	@echo "make test   run the tests"
	@echo "make check  lint, types, architecture"
	@echo "make bench  measure the loop against a bare one (minutes)"

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; try: make PYTHON=python3.12 setup")'
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

demo: setup
	$(PY) -m rollout --config configs/demo.yaml --fresh

test: setup
	$(PY) -m pytest

check: setup
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PY) -m pytest -q tests/test_architecture.py tests/test_configs.py

bench: setup
	$(PY) scripts/bench_loop.py

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
