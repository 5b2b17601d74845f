# All targets need python3 (3.11 or newer), make and git.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

FILE ?= tests/data/rules_vectors.json

.PHONY: setup wheel demo test test-fast test-slow conform check docs bench reference train clean

setup: $(STAMP)

$(STAMP): pyproject.toml setup.py constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "simgin needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1). Choose another version: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { \
	  echo "Python could not create the virtual environment $(VENV). On Debian and Ubuntu, install python3-venv first."; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test,dev]'
	$(BIN)/python -m compileall -q simgin strategies # saves 0.15 s per command if PYTHONDONTWRITEBYTECODE is set
	@echo "Compiling the engine, so that the first command need not compile. Further code is compiled in the background."
	@$(BIN)/simgin match gold simple --deals 2k > $(VENV)/compile.log
	@rm -f $(VENV)/.tested
	@nice $(BIN)/python .ci/compile.py > $(VENV)/compile.log 2>&1 &
	@touch $(STAMP)

# Builds a wheel with compiled code for this version of Python and x86-64-v3 CPUs, in dist
wheel: setup
	rm -rf build
	SIMGIN_PRECOMPILE=1 $(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation -w dist .

demo: setup
	@rm -rf results/demo # a run of an earlier version cannot be resumed
	$(BIN)/simgin run experiments/demo.toml -o results/demo
	@echo
	@echo "To see the report, open results/demo/report.html in a browser. The same directory contains tables and plots."
	@echo "To play and to see results in a browser, run: $(BIN)/simgin web"

test: setup
	@touch $(VENV)/.tested # stops the compilation in the background, which would slow down the tests
	$(BIN)/python -m pytest -q -n 2 --dist worksteal --durations=10

# Tests of most packages that need little compilation
FAST := $(addprefix tests/, test_layers.py test_names.py text worked_examples \
  $(addprefix rules/test_, parameters.py validation.py variants.py user_files.py) \
  core/test_rng.py core/test_meldings.py toolkit/test_opponent.py play/test_hand_analysis.py \
  $(addprefix strategy/test_, cast.py lint.py loader.py) \
  $(addprefix stats/test_, table.py ratios.py variance.py sequential.py) \
  $(addprefix runs/test_, experiment_file.py invariants.py schedule.py stopping.py) \
  results/test_sentences.py review/test_verdicts.py report/test_table.py report/test_screen.py \
  plots/test_names.py plots/test_colours.py checks/test_doctor.py \
  documents/test_citations.py documents/test_catalogue.py)

test-fast: setup
	$(BIN)/python -m pytest -q --durations=5 $(FAST)

# Fast tests that `make test` skips because they need OpenSpiel or RLCard
WITH_ORACLES := tests/oracles/test_openspiel.py tests/strategies/test_bots.py tests/analysis/test_grades.py

test-slow: setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test,dev,oracle,browser]'
	$(BIN)/python -m pytest -q -n 2 --dist worksteal --durations=10 -m slow
	$(BIN)/python -m pytest -q -n 2 $(WITH_ORACLES)

# Checks worked examples of the rules with the engine. ON=reference checks them with the reference implementation.
# The exit code is 0 (all pass), 1 (some fail), 2 (invalid file) or 3 (no example is supported). If it is not 0, make
# prints it after "Error" and exits with 2.
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

# Regenerates all results in results/reference, the fastest first. This takes hours. The same command resumes after an
# interruption. ONLY="demo dice" regenerates these two results, and ONLY=--list estimates the time of each.
reference: setup
	$(BIN)/python benchmarks/reference.py $(ONLY)

# Retrains all policy weights (strategies/*.npy) from the seeds in the scripts. This takes about four hours on one
# core. The training of champion uses the table of match values. The last script writes the drill in the package.
train: setup
	$(BIN)/python training/beliefs.py
	$(BIN)/python training/improvement.py
	$(BIN)/python training/stake.py
	$(BIN)/python training/solo.py
	$(BIN)/python training/solo_champion.py
	$(BIN)/python training/mc_value.py
	$(BIN)/python training/champion.py
	$(BIN)/python training/champion_rules.py
	$(BIN)/python training/champion_eaai.py
	$(BIN)/python training/hands.py
	$(BIN)/python training/champion_mc.py
	$(BIN)/python training/drill.py

clean:
	rm -rf $(VENV) build site *.egg-info .pytest_cache .mypy_cache .ruff_cache
