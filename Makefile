# Everything a newcomer types. Needs Python 3.11 or newer and make, nothing else.

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/installed

.PHONY: setup run test check format golden torture bench fuzz mutants findings browser clean

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "elewenjewe needs Python 3.11 or newer; say which with make PYTHON=python3.12")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

run: setup
	$(BIN)/sim run experiments/yoruba_vs_casual.yaml

test: check
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile --durations=10

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

golden: setup
	$(BIN)/python -m tests.golden

torture: setup
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest tests/torture -n 2 --dist loadfile

bench: setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	$(BIN)/python -m benchmarks

fuzz: setup
	$(BIN)/python -m tests.fuzz $(if $(SEED),--seed $(SEED)) $(if $(TURNS),--turns $(TURNS))

mutants: setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[mutants]'
	$(BIN)/python -m tests.mutants
	$(BIN)/python -m tests.mutants.sampled

findings: setup
	$(BIN)/python -m tests.findings

browser: setup
	@command -v chromium >/dev/null || { echo "make browser needs Debian's chromium: apt-get install chromium" >&2; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[browser]'
	$(BIN)/python -m pytest tests/browser.py -n 0

clean:
	rm -rf .venv runs .mypy_cache .ruff_cache .pytest_cache .hypothesis
