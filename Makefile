# make setup, demo, test, test-fast, test-slow, conform, check, docs, bench, reference, train: all on a machine with python3 (3.11 or newer), make and git.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

FILE ?= tests/data/rules_vectors.json

.PHONY: setup demo test test-fast test-slow conform check docs bench reference train clean

setup: $(STAMP)

$(STAMP): pyproject.toml setup.py constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "simgin needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1). Name another: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { \
	  echo "Python could not make the virtual environment $(VENV). On Debian and Ubuntu install python3-venv first."; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test,dev]'
	@touch $(STAMP)

demo: setup
	@rm -rf results/demo # one of an earlier version could not be gone on with
	$(BIN)/simgin run experiments/demo.toml -o results/demo
	@echo
	@echo "The page is results/demo/report.html: open it in a browser. Tables and pictures lie beside it."

test: setup
	$(BIN)/python -m pytest -q -n 2 --dist worksteal --durations=10

# Tests that need little compilation, of most packages
FAST := $(addprefix tests/, test_layers.py test_names.py text worked_examples \
  $(addprefix rules/test_, parameters.py validation.py variants.py user_files.py) \
  core/test_rng.py core/test_meldings.py toolkit/test_opponent.py play/test_hand.py \
  $(addprefix strategy/test_, cast.py lint.py loader.py) \
  $(addprefix stats/test_, table.py ratios.py variance.py sequential.py) \
  $(addprefix runs/test_, experiment_file.py invariants.py schedule.py stopping.py) \
  results/test_sentences.py review/test_verdicts.py report/test_table.py report/test_screen.py \
  plots/test_names.py plots/test_colours.py checks/test_doctor.py \
  documents/test_citations.py documents/test_catalogue.py)

test-fast: setup
	$(BIN)/python -m pytest -q --durations=5 $(FAST)

test-slow: setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test,dev,oracle,browser,rl,anki]'
	$(BIN)/python -m pytest -q -n 2 --dist worksteal --durations=10 -m slow

# Runs a file of worked examples of the rules on the engine, or with ON=reference on the reference implementation.
# The exit code is 0, 1 (some fail), 2 (a bad file) or 3 (nothing is supported); make says it after
# "Error" and ends with 2 itself.
conform: setup
	@PYTHONPATH=tests $(BIN)/python -m worked_examples "$(FILE)" --on $(or $(ON),engine)

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(BIN)/mypy
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve

bench: setup
	$(BIN)/simgin bench

# Everything in results/reference anew, the quickest first: hours. Resumes after a kill. ONLY="demo dice"
# rebuilds those; ONLY=--list says what each takes here.
reference: setup
	$(BIN)/python benchmarks/reference.py $(ONLY)

# Every number that policies read (strategies/*.npy), learned anew from the seeds in the scripts:
# about three quarters of an hour of one core. The champion is learned with the table of match values.
train: setup
	$(BIN)/python training/beliefs.py
	$(BIN)/python training/improvement.py
	$(BIN)/python training/stake.py
	$(BIN)/python training/solo.py
	$(BIN)/python training/solo_champion.py
	$(BIN)/python training/mc_value.py
	$(BIN)/python training/champion.py
	$(BIN)/python training/hands.py
	$(BIN)/python training/champion_mc.py

clean:
	rm -rf $(VENV) build site *.egg-info .pytest_cache .mypy_cache .ruff_cache
