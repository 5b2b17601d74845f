"""Tests that the Python API returns the results of the commands."""

import gc
import inspect
import io
import json
import pickle
import re
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import simgin
from simgin import api, plots
from simgin.learn import adapt
from simgin.runs import runner
from simgin.stats import table
from simgin.stats.table import format_csv
from simgin.text.messages import SimginError
from support.command_line import interrupt_after_blocks, run_simgin

PANEL_EXPERIMENT_TOML = """
question = "Who throws better?"
seed = 3
deals = "12k"
[panel]
strategies = ["gold", "gold+discard=safe-neighbour", "gold+discard=uniform"]
against = "simple"
"""


PUBLIC_FUNCTIONS = [
    name
    for name, member in vars(api).items()
    if name in simgin.__all__
    if member.__module__ == "simgin.api"
]


@pytest.fixture(scope="module")
def experiment_file(tmp_path_factory):
    """Return the path of an experiment file with a panel."""
    path = tmp_path_factory.mktemp("frames") / "throwing.toml"
    path.write_text(PANEL_EXPERIMENT_TOML)
    return path


@pytest.fixture(scope="module")
def panel_results(experiment_file):
    """Return the results of the panel."""
    return simgin.run(experiment_file)


def test_all_public_names_can_be_imported():
    for name in simgin.__all__:
        first = getattr(simgin, name)
        assert getattr(simgin, name) is first or name == "__version__"
    assert {*simgin._MODULE_BY_PUBLIC_NAME, *simgin._SUBMODULES} < set(simgin.__all__)
    assert set(simgin.__all__) <= set(dir(simgin))
    with pytest.raises(AttributeError, match="nothing"):
        _ = simgin.nothing


def test_results_equal_the_files_of_a_run(experiment_file, panel_results, tmp_path):
    directory = tmp_path / "out"
    run_simgin("run", experiment_file, "-o", directory)
    assert table.format_csv(panel_results.table) == (directory / "table.csv").read_text()
    assert (
        table.format_csv(panel_results.differences) == (directory / "differences.csv").read_text()
    )


def test_ledger_is_closed_when_its_results_are_deleted(experiment_file):
    results = simgin.run(experiment_file)
    gc.collect()
    ledger, expected = results.ledger, results.load_rows(0)
    assert expected.sum() > 0
    del results
    gc.collect()
    with pytest.raises(Exception, match="closed"):
        ledger.read_rows(0, 1, 1)


def test_results_with_display_names_keep_the_run_open(experiment_file, tmp_path):
    labelled = tmp_path / "labelled.toml"
    labelled.write_text(f'{PANEL_EXPERIMENT_TOML}[labels]\ngold = "mine"\n')
    named = simgin.run(labelled).with_display_names
    gc.collect()
    assert "mine" in set(named.table["strategy"]) and len(list(simgin.run(labelled).plots())) > 1


def test_forest_plot_has_one_dot_per_strategy_in_percent(panel_results):
    differences = panel_results.differences
    figure = plots.forest_plot(differences, seed=3)
    assert figure.get_suptitle() == "Difference from gold"
    names = [text.get_text().replace("\n", "") for text in figure.axes[0].get_yticklabels()]
    assert set(names) == {"discard=safe-neighbour", "discard=uniform"}
    drawn = {axes.get_title(loc="left"): axes for axes in figure.axes}
    row = differences.set_index(["strategy", "metric"]).loc["gold+discard=uniform", "deal_win"]
    dots = drawn["deals won %"].containers
    assert dots[names.index("discard=uniform")][0].get_xdata() == pytest.approx(
        [100 * row["value"]]
    )
    saved = pd.read_csv(io.StringIO(table.format_csv(differences)))
    assert plots.png(plots.forest_plot(saved, seed=3)) == plots.png(figure)
    # metrics that cannot differ have no dot
    constant_metrics = differences.assign(
        se=differences["se"].where(differences["metric"] == "margin", 0.0)
    )
    (axes,) = plots.forest_plot(constant_metrics).axes
    assert axes.get_title(loc="left") == "points/deal"


def test_odds_equal_those_of_the_command(tmp_path):
    directory = tmp_path / "out"
    options = ("--strategy", "solo-greedy", "--deals", 2000, "-o", directory)
    run_simgin("odds", "solitary-gin", *options)
    frames = simgin.compute_odds("solitary-gin", "solo-greedy", deals="2k").frames()
    assert frames
    for name, frame in frames.items():
        assert table.format_csv(frame) == (directory / f"{name}.csv").read_text()


@pytest.mark.parametrize("deal", [None, 1])
def test_show_returns_the_text_of_the_command(deal):
    deal_options = {"seed": 7, "unit": 3, "half": 1} | ({} if deal is None else {"deal": deal})
    text = simgin.show("gold", "simple", "eaai", **deal_options)
    arguments = [word for name, number in deal_options.items() for word in (f"--{name}", number)]
    result = run_simgin("show", "gold", "simple", "-v", "eaai", *arguments)
    assert result.stdout.startswith(text)


@pytest.mark.parametrize(
    "cards", ["5S 6S 7S 9H 9D 9C KS QD 2C AH", "5S 6S 7S 9H 9D 9C KS QD 2C AH 8S"]
)
def test_hand_equals_the_result_of_the_command(cards, tmp_path):
    command = json.loads(
        run_simgin("hand", cards, "--upcard", "4D", "-v", "oklahoma", "--json").stdout
    )
    result = simgin.hand(cards.split(), "oklahoma", upcard="4D")
    assert result.records() == command["rows"]
    assert result.deadwood == command["rows"][0]["deadwood"] == 23
    assert len(result.frame) == max(len(result.discards), 1)
    assert (
        repr(result).splitlines()[0]
        in run_simgin("hand", cards, "--upcard", "4D", "-v", "oklahoma").stdout
    )
    assert result.save(tmp_path / "hand").exists()


def test_invalid_arguments_are_rejected_with_an_explanation():
    with pytest.raises(ValueError, match=r"`b` must be a strategy or None, not \['simple', 'stub"):
        simgin.match("gold", ["simple", "stubborn"])
    with pytest.raises(ValueError, match="0 is not a valid number of workers"):
        simgin.match("gold", "simple", workers=0)
    with pytest.raises(AttributeError, match="Did you mean 'analyze'"):
        _ = simgin.analyse
    hand = simgin.hand("5S 6S 7S 9H 9D 9C KS QD 2C AH")
    with pytest.raises(AttributeError, match=r"Did you mean 'deadwood'\? Use `\.frame`"):
        _ = hand.deadwod
    with pytest.raises(TypeError, match="from 1 to 3 positional arguments but 4 were given"):
        simgin.match("gold", "simple", "eaai", 100)


def test_errors_name_python_arguments():
    cards = "5S 6S 7S 9H 9D 9C KS QD 2C AH"
    for message, call_function in (
        ("Omit `upcard`.", lambda: simgin.hand(cards, "solitary-gin", upcard="5C")),
        ("the opponent with `against`, or use `simgin league`", lambda: simgin.match([*"abc"])),
        (
            "`cards` must be a string or a list of strings, not [5, '6S']",
            lambda: simgin.hand([5, "6S"]),
        ),
        ("'5' is not a card", lambda: simgin.hand("5")),
        ("Use knock, upcard or discard.", lambda: simgin.compute_chart("knok")),
        ("at least one file", simgin.grade),
        ("the list of strategies is empty", lambda: simgin.match([])),
        (
            'as in `sweep="gin_bonus=0,10,25"`',
            lambda: simgin.review_rules("eaai", sweep="gin_bonus"),
        ),
        ("`unit` must be a whole number, not 'three'", lambda: simgin.show("gold", unit="three")),
        ("`unit` must be a whole number, not 1.5", lambda: simgin.show("gold", unit=1.5)),
        ("`deal` is not an argument. Did you mean 'deals'?", lambda: simgin.match("gold", deal=3)),
        ("a dictionary or None, not 'My rule'", lambda: simgin.match("gold", labels="My rule")),
        ("'gin 40' is not a valid goal", lambda: simgin.review_rules("oklahoma", goals="gin 40")),
    ):
        with pytest.raises(SimginError, match=re.escape(message)):
            call_function()
    assert "--" not in repr(simgin.hand(cards, "oklahoma"))


@pytest.mark.parametrize("name", PUBLIC_FUNCTIONS)
def test_arguments_of_wrong_types_are_rejected_by_name(name):
    function = getattr(simgin, name)
    for parameter in inspect.signature(function).parameters.values():
        for wrong in (object(), b"x", [None], [object()]):
            arguments, options = [wrong], {}
            if parameter.kind is not parameter.VAR_POSITIONAL:
                arguments, options = [], {parameter.name: wrong}
            elif name == "compute_odds":
                arguments = ["standard", wrong]
            with pytest.raises(SimginError, match=f"^`{parameter.name}` must be .+, not "):
                function(*arguments, **options)


def test_series_arrays_and_iterators_are_accepted_as_lists():
    cards = "5S 6S 7S 9H 9D 9C KS QD 2C AH".split()
    expected = simgin.hand(cards).records()
    for given in (pd.Series(cards), np.array(cards), iter(cards), tuple(cards)):
        assert simgin.hand(given).records() == expected


def test_frame_of_an_analysis_starts_with_the_action_and_its_cost():
    result = simgin.analyze("7H 7D 7C 8C 9C TC 4H TD AC 4C KS", "QD TS 9D* QH", worlds=100)
    assert [*result.frame.columns[:4]] == ["action", "cost", "low", "high"]
    assert sorted(result.frame.columns) == sorted(result.frames()["analysis"].columns)
    assert str(result.frame["cost"][0]) == "0.0"


@pytest.mark.parametrize("deals", [40_000, 60_000])
def test_call_with_an_output_directory_resumes(empty_directory, monkeypatch, deals):
    """Interrupt a call of 40,000 deals, and repeat or extend it."""
    uninterrupted = simgin.match("gold", "simple", deals=deals)
    with monkeypatch.context() as patch:
        interrupt_after_blocks(patch, 1)
        with pytest.raises(KeyboardInterrupt, match="repeat the same call") as interrupt:
            simgin.match("gold", "simple", deals=40_000, output="out", workers=1)
    assert len(interrupt.value._render_traceback_()) == 1
    blocks, play_block = [], runner.play_block
    monkeypatch.setattr(
        runner, "play_block", lambda *arguments: blocks.append(1) or play_block(*arguments)
    )
    saved = simgin.match("gold", "simple", deals=deals, output="out")
    assert saved.frame.equals(uninterrupted.frame) and "output='out'" in saved.call
    assert format_csv(saved.frame) == Path("out/table.csv").read_text()
    n_blocks = len(blocks)
    simgin.match("gold", "simple", deals=deals, output="out")
    assert len(blocks) == n_blocks > 0  # The last call plays nothing.
    with pytest.raises(SimginError, match=r"another run(.|\n)*another directory, or remove"):
        simgin.match("gold", "wary", deals=deals, output="out")


def test_reviews_and_odds_are_written_to_an_output_directory(empty_directory, monkeypatch):
    players = ["simple", "gin-only", "gold-early"]

    def review(**options):
        rules = {"against": "standard", "players": players, "matches": 1_000}
        return simgin.review_rules("straight", **rules, **options)

    saved = review(output="review")
    assert format_csv(saved.differences) == Path("review/differences.csv").read_text()
    assert saved.metrics.equals(review().metrics)
    with monkeypatch.context() as patch:
        patch.setattr(runner, "play_block", None)  # The repeated call plays nothing.
        assert review(output="review").metrics.equals(saved.metrics)
    odds = simgin.compute_odds("standard", "gold", deals=20_000, output="odds")
    assert format_csv(odds.frames()["seats"]) == Path("odds/seats.csv").read_text()


def test_analysis_prints_the_text_of_the_command():
    cards, pile = "7H 7D 7C 8C 9C TC 4H TD AC 4C KS", "QD TS 9D* QH"
    screen = run_simgin(
        "analyze", cards, "--pile", pile, "--worlds", 100, "--score", "30-45"
    ).stdout
    for score in ((30, 45), "30-45"):
        result = simgin.analyze(cards, pile, score=score, worlds=100)
        assert str(result) == screen.partition("\n\nCommand: ")[0]
    screen = run_simgin(
        "analyze", "gold", "simple", "--unit", 3, "--turn", 5, "--worlds", 50
    ).stdout
    turn = simgin.analyze_deal("gold", "simple", unit=3, turn=5, worlds=50)
    assert str(turn) == screen.partition("\n\nCommand: ")[0]
    assert str(turn).count("Cost of each action") == 2
    with pytest.raises(SimginError, match=r"`score` must be .*, not \('a', 45\)"):
        simgin.analyze(cards, pile, score=("a", 45))


def test_directory_of_a_result_must_be_a_path():
    with pytest.raises(SimginError, match=r"^`output` must be a string or a path, not 3\.$"):
        simgin.hand("5S 6S 7S 9H 9D 9C KS QD 2C AH").save(3)


def test_missing_deal_file_is_reported():
    with pytest.raises(SimginError, match=r"^none\.json cannot be read .* Check the path\.$"):
        simgin.grade("none.json")


@pytest.mark.parametrize("module", [simgin.toolkit, plots])
def test_misspelt_function_of_a_module_is_suggested(module):
    with pytest.raises(AttributeError, match=f"Did you mean {module.__all__[-1]!r}?"):
        getattr(module, module.__all__[-1] + "x")


@pytest.mark.parametrize("amount", [{"worlds": 0}, {"seconds": "soon"}, {"worlds": "-1k"}])
def test_invalid_amount_is_rejected_by_name(amount):
    (name, value), *_ = amount.items()
    with pytest.raises(SimginError, match=f"^`{name}`: .*{value}'? is "):
        simgin.analyze("7H 7D 7C 8C 9C TC 4H TD AC 4C KS", "QD TS 9D* QH", **amount)


def test_cards_can_be_lists_of_strings():
    cards, pile = "7H 7D 7C 8C 9C TC 4H TD AC 4C KS", "QD TS 9D* QH"
    as_lists = simgin.analyze(cards.split(), pile.split(), worlds=200)
    assert as_lists.records() == simgin.analyze(cards, pile, worlds=200).records()


def test_no_ledger_stays_open():
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        frame = simgin.match("gold", deals=200).frame
        gc.collect()
    assert isinstance(frame, pd.DataFrame)


def test_strategy_object_is_equivalent_to_its_spec(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "from simgin.strategy import ACTION_STOCK, Strategy, take\n\n"
        "@take\ndef never(view, rules, params):\n    return ACTION_STOCK\n\n"
        "MINE = Strategy('mine', take=never)\n"
    )
    named = simgin.find_strategy(str(path))
    assert simgin.find_strategy(named) == named
    gold = simgin.find_strategy("gold")
    for player in (named, path):
        frame = simgin.match(gold, player, deals=200, workers=1).frame
        assert set(frame["strategy"]) == {"gold", str(path)}
    assert simgin.show(gold, named) == simgin.show("gold", str(path))


def read_caption(figure):
    return " ".join(" ".join(text.get_text() for text in figure.texts).split())


def test_plot_rejects_frames_that_it_cannot_draw(panel_results):
    frame = simgin.match("gold", deals=200, workers=1).frame
    assert "seed" not in read_caption(plots.endings(frame))
    assert "seed 1." in read_caption(plots.endings(frame, seed=1))
    for wrong, message in [
        (
            frame.drop(columns="metric"),
            r"plots\.endings received a DataFrame without the column metric",
        ),
        ([1, 2], r"plots\.endings requires a pandas DataFrame, but received '1/2'"),
        (panel_results, r"received RunResults\. Pass a DataFrame that its method `frames` returns"),
        (frame.iloc[:0], r"plots\.endings received a DataFrame without rows"),
        (
            pd.concat([frame, frame]),
            r"the same matchup has 2 rows for .*\. Use the rows of a single run\.",
        ),
    ]:
        with pytest.raises(ValueError, match=message):
            plots.endings(wrong)
    with pytest.raises(ValueError, match="without the column base_variant"):
        plots.forest_plot(frame)


def test_numpy_integers_are_valid_seeds():
    expected = simgin.show("gold", seed=7)
    assert all(simgin.show("gold", seed=dtype(7)) == expected for dtype in (np.int64, np.uint8))


@pytest.mark.parametrize("seed", ["3", 3.0, None, -1, 2**64, [3]])
def test_invalid_seed_is_rejected_with_a_message(seed):
    calls = {simgin.match: "gold", simgin.show: "gold", simgin.review_rules: "oklahoma"}
    for function, name in (calls | {simgin.compute_odds: "solitaire-gin"}).items():
        with pytest.raises(ValueError, match=r"is not a valid seed|`seed` must be a whole"):
            function(name, seed=seed)


def test_variant_objects_are_accepted():
    oklahoma = simgin.find_variant("oklahoma")
    assert simgin.find_variant(oklahoma) is oklahoma
    frame = simgin.match("gold", variant=oklahoma, deals=200, workers=1).frame
    assert set(frame["variant"]) == {"oklahoma"}
    assert simgin.show("gold", variant=oklahoma) == simgin.show("gold", variant="oklahoma")
    with pytest.raises(ValueError, match="too few to estimate standard errors"):
        simgin.review_rules(oklahoma, simgin.find_variant("standard"), matches=10)
    with pytest.raises(ValueError, match="too few to estimate odds"):
        solitaire = simgin.find_variant("solitaire-gin")
        simgin.compute_odds(solitaire, simgin.find_strategy("solo-greedy"), deals=200)


def test_strategies_and_variants_can_be_pickled():
    for original in (simgin.find_strategy("gold+knock=at:k=4"), simgin.find_variant("oklahoma")):
        assert pickle.loads(pickle.dumps(original)) == original


def test_objects_have_informative_representations(panel_results):
    text = repr(simgin.find_variant("oklahoma"))
    assert text.startswith("Variant('oklahoma'): Oklahoma Gin. The first upcard")
    text = repr(simgin.find_strategy("gold+knock=at:k=4"))
    assert text.startswith("Strategy('gold+knock=at:k=4'): take lower, discard low, knock at")
    with pytest.raises(TypeError, match="Pickle a DataFrame"):
        pickle.dumps(panel_results)


def test_train_builds_the_request_of_the_command(monkeypatch):
    requests = []

    def record_request(request, *_):
        requests.append(request)
        return SimpleNamespace()

    monkeypatch.setattr(adapt, "run_adaptation", record_request)
    simgin.train("champion", "straight", rounds=1, confirmation_matches="1k")
    (request,) = requests
    options = {"rounds": 1, "confirmation_matches": "1k"}
    assert request == adapt.AdaptRequest.read("champion", "straight", **options)


def test_review_accepts_title_note_and_targets():
    options = {"title": "Longer?", "note": "A trial.", "targets": "150", "seconds_per_turn": 4.0}
    review = simgin.review_rules("standard", players=["simple", "gold"], matches=1000, **options)
    assert (review.request.title, review.request.note) == ("Longer?", "A trial.")
    assert review.request.seconds_per_turn == 4
    assert [variant for variant in review.request.variants if "150" in variant]
