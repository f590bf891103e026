# Two commands do everything on a fresh clone, each by itself: make train, make test.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
WORKERS ?= 2

.PHONY: help install train test test-full lint format clean

help:
	@echo "make train      install, train configs/quickstart.toml for a few minutes, evaluate, export a bot"
	@echo "make test       install, run the tests (under 12 minutes)"
	@echo "make test-full  the long tiers too: large differential runs, JIT off, killed workers"
	@echo "make lint       ruff, mypy"
	@echo "make format     let ruff rewrite the sources"

install: $(READY)

# A new .venv only where there is none; a re-install only where pyproject.toml or constraints.txt changed.
$(READY): pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { echo "Makefile: no $(PYTHON) found; install Python 3.11 or run make PYTHON=python3.12 ..."; exit 2; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing into $(VENV): some minutes the first time"
	$(BIN)/python -m pip install --editable '.[train,dev]' -c constraints.txt
	touch $(READY)

# Compile the kernels once here: pytest's and Ray's workers then read the cache instead of racing to fill it.
train: $(READY)
	$(BIN)/python -m tarock_env.warm_up
	$(BIN)/tarock train configs/quickstart.toml
	@echo "tarock and tensorboard are words of the shell after: source $(VENV)/bin/activate"

test: $(READY)
	$(BIN)/python -m tarock_env.warm_up
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

test-full: $(READY)
	$(BIN)/python -m tarock_env.warm_up
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m ""
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --ignore tests/training

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .numba_cache
