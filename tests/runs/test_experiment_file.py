"""Tests of experiment files: formats, sweeps, stopping rules and error messages."""

import re
import tomllib
from functools import partial
from pathlib import Path

import pytest

from simgin.play.matchup import parse_matchup
from simgin.runs import experiment_file, stopping
from simgin.runs.block import Task
from simgin.runs.experiment_file import ExperimentError
from simgin.runs.plan import Plan, plan_experiment
from support.experiment_files import list_matchups, read_plan, read_sweep_plan

MATCHUP_TOML = '[[matchups]]\na = "gold"\n'


def test_minimal_file_uses_the_defaults(tmp_path):
    task = Task(parse_matchup("gold", "simple", "standard", 1, "deal"), 100_000)
    expected = Plan("waiting", (task,), question="Well?")
    assert read_plan(tmp_path, 'question = "Well?"\n' + MATCHUP_TOML) == expected


def test_file_can_combine_matchups_round_robin_and_panel(tmp_path):
    plan = read_plan(
        tmp_path,
        """
        question = "Does waiting for gin pay?"
        hypothesis = "Yes."
        variants = ["eaai", "standard+gin_bonus=20"]
        seed = 7
        matches = "2k"
        round_robin = ["simple", "gold", "gin-only"]
        [[matchups]]
        a = "gold-early:k=5"
        b = "gold"
        [panel]
        strategies = ["simple", "stubborn", "gold"]
        against = "simple"
        """,
    )
    assert {(cell.seed, cell.unit) for cell in plan.matchup_keys} == {(7, "match")}
    assert ({task.n_games for task in plan.tasks}, plan.hypothesis) == ({2000}, "Yes.")
    pairs = (
        ("gold-early", "gold"),  # canonical text: 5 is the default
        ("simple", "gold"),
        ("simple", "gin-only"),
        ("gold", "gin-only"),
        ("simple", "simple"),
        ("stubborn", "simple"),  # gold against simple is in the round robin
    )
    variants = ("eaai", "standard+gin_bonus=20")
    assert list_matchups(plan) == [(variant, *pair) for variant in variants for pair in pairs]


def test_experiment_can_be_for_solitaire(tmp_path):
    plan = read_plan(
        tmp_path,
        'question = "?"\nvariants = ["gin-solitaire"]\n'
        'solo = ["gold", "gold+knock=at:k=0", "gold+knock=at:k=10"]',
    )
    players = ["gold", "gold+knock=at:k=0"]  # gold once
    assert list_matchups(plan) == [("gin-solitaire", text, "") for text in players]
    assert [matchup.b for matchup in plan.matchups] == [None, None]


def test_unreadable_file_is_rejected(tmp_path):
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xc3")
    for name, message in (("none.toml", "be read"), (".", "be read"), ("bytes.toml", "UTF-8")):
        with pytest.raises(ExperimentError, match=message):
            plan_experiment(tmp_path / name)


@pytest.mark.parametrize(
    ("options", "rule", "seconds", "unit", "sample_size"),
    [
        (
            'until = "0.1%"',
            *(partial(stopping.make_precision_rule, "0.1%", max_games=10**7), None),
            *("deal", 10_000_000),
        ),
        (
            'until = "0.10 %"\nmatches = "200k"',
            *(partial(stopping.make_precision_rule, "0.1%", max_games=200_000), None),
            *("match", 200_000),
        ),
        ("sprt = [0, 10]", partial(stopping.make_sequential_test, 0, 10), None, "deal", 10_000_000),
        ('for = "30s"', None, 30, "deal", 10**12),
        ('for = 90\nmatches = "1k"', None, 90, "match", 1000),
    ],
)
def test_stopping_options_of_a_file_are_read(tmp_path, options, rule, seconds, unit, sample_size):
    plan = read_plan(tmp_path, f'question = "?"\n{options}\n{MATCHUP_TOML}')
    assert plan.stopping_rules == ((rule(plan.matchups[0]),) if rule else ())
    assert (plan.seconds, plan.unit, [task.n_games for task in plan.tasks]) == (
        seconds,
        unit,
        [sample_size],
    )


# Sweeps


def test_sweep_plays_every_combination_in_every_variant(tmp_path):
    plan = read_sweep_plan(
        tmp_path,
        'strategy = "gold+knock=at:k={k}"\nagainst = "gold+discard=hits:keep_pairs={p}"\n'
        "[sweep.grid]\nk = [3, 10]\np = [true, false]",
        experiment_toml='variants = ["eaai", "standard"]',
    )
    opponents = ("gold+discard=hits:keep_pairs=yes", "gold+discard=hits")
    pairs = [(a, b) for a in ("gold+knock=at:k=3", "gold") for b in opponents]
    assert list_matchups(plan) == [
        (variant, *pair) for variant in ("eaai", "standard") for pair in pairs
    ]


def test_equal_matchups_are_played_once(tmp_path):
    plan = read_sweep_plan(
        tmp_path,
        'strategy = "simple+knock=at:k={k}"\nagainst = "simple+knock=at:k={j}"\n'
        "[sweep.grid]\nk = [4, 10, 4.0]\nj = [4, 10]",
        experiment_toml='[panel]\nstrategies = ["gold", "simple+knock=at:k=4"]',
    )
    knocks_at_four = "simple+knock=at:k=4"
    pairs = [
        ("gold", "simple"),
        (knocks_at_four, "simple"),
        (knocks_at_four, knocks_at_four),
        ("simple", "simple"),
    ]
    assert [names[1:] for names in list_matchups(plan)] == pairs


def test_sweep_names_values_that_are_defaults(tmp_path):
    sweep_toml = (
        'strategy = "{}:k={{k}}"\nagainst = "gold:k=10"\n'
        'variant = "standard+undercut_bonus={{u}}"\n[sweep.grid]\nk = [3, 5]\nu = [10, 25]'
    )
    text = "from simgin.strategy import Strategy, knock, param\n@knock(k=param(5, 0, 9, 'turns'))\n"
    text += "def early(view, rules, params):\n    return True\nS = Strategy('mine', knock=early)\n"
    path = tmp_path / "mine.py"
    path.write_text(text)
    for spec, name in (("gold-early", "gold-early"), (str(path), "mine")):
        names = read_sweep_plan(tmp_path, sweep_toml.format(spec)).display_names
        assert names[spec] == f"{name}:k=5" and names["standard"] == "standard+undercut_bonus=25"
        assert names.get(f"{spec}:k=3") == (None if spec == name else f"{name}:k=3")
        assert "gold" not in names and "standard+undercut_bonus=10" not in names


def test_sweep_can_be_for_solitaire(tmp_path):
    text = 'strategy = "gold"\nvariant = "gin-solitaire+gin_bonus={g}"\ngrid.g = [10, 20]'
    assert [(a, b) for _, a, b in list_matchups(read_sweep_plan(tmp_path, text))] == [
        ("gold", "")
    ] * 2


# The page about them


DOCS_TEXT = (Path(__file__).resolve().parents[2] / "docs/how-to/experiments.md").read_text()
EXAMPLE_TOML_TEXTS = re.findall(r"```toml\n(.*?)```", DOCS_TEXT, re.S)
EXPERIMENT_KEYS = {
    field.alias or name for name, field in experiment_file.ExperimentFile.model_fields.items()
}


def test_documentation_covers_every_key():
    assert sorted(re.findall(r"^\| `(\w+)` \|", DOCS_TEXT, re.M)) == sorted(EXPERIMENT_KEYS)
    assert EXPERIMENT_KEYS - {
        key for text in EXAMPLE_TOML_TEXTS for key in tomllib.loads(text)
    } == {"seed"}


@pytest.mark.parametrize("text", EXAMPLE_TOML_TEXTS)
def test_documented_examples_can_be_played(tmp_path, text):
    assert read_plan(tmp_path, text).tasks
