"""Tests of adapted champions: reproducibility, the choice of player, and weights files."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

from simgin.core import jit
from simgin.learn import adapt, champion_weights, strongest
from simgin.learn.improvement import Confirmation, OpponentComparison
from simgin.learn.tune_request import TuneError
from simgin.play.matchup import make_short_names, parse_matchup
from simgin.rules import variants
from simgin.runs import ledger
from simgin.stats.estimate import Estimate
from simgin.strategy import loader
from support.command_line import run_simgin
from support.variant_files import CLUB_VARIANT_TOML

SMALL_TRAINING_SIZES = {"deals": 600, "confirmation_matches": 1000, "rounds": 2}
CHAMPION_FILE = Path(__file__).resolve().parents[2] / "strategies" / "champion.npy"


def test_each_training_has_a_separate_ledger(tmp_path, monkeypatch):
    """Include two variants that have the same name but different rules."""
    requests = [("straight", {}), ("oklahoma", {}), ("straight", {"seed": 2})]
    requests += [("straight", {name: 99}) for name in ("deals", "rounds")]
    ledger_files = [
        adapt.AdaptRequest.read("champion", name, **sizes).ledger_file for name, sizes in requests
    ]
    for bonus in ("30", "40"):
        (tmp_path / bonus).mkdir()
        monkeypatch.chdir(tmp_path / bonus)
        Path("mine.toml").write_text(CLUB_VARIANT_TOML.replace("30", bonus))
        ledger_files.append(adapt.AdaptRequest.read("champion", "mine.toml").ledger_file)
    assert len({ledger_file.stem[-8:] for ledger_file in ledger_files}) == len(ledger_files)


@pytest.mark.parametrize(
    ("rules", "untrained"),
    [
        ("standard", []),  # the rules of the EAAI challenge, except for the next dealer
        ("tedesco", []),
        ("rush", []),
        ("dice", []),
        ("standard+points_target=250", []),
        ("standard+box_bonus=25", []),
        ("standard+discard_view=open", []),
        ("standard+undercut_bonus=10", []),
        ("oklahoma", []),
        ("straight", []),
        ("tedesco+gin_bonus=20", []),
        ("tedesco+take_to_knock=any", []),
        ("dice+deal_count_gin=2", []),
        ("rainbow", []),
        ("big-gin", []),
        ("standard+undercut_bonus=101", ["undercut_bonus"]),
        ("standard+knock_limit=40", ["knock_limit"]),
        ("standard+points_target=40", ["points_target"]),
        ("hollywood", ["goal"]),
        ("shot+shot_deducts=yes", ["shot_deducts"]),
        ("standard+melding=choice", ["melding"]),
    ],
)
def test_untrained_parameters_are_found(rules, untrained):
    """Expect most bonuses, limits and melds to be trained, but not all goals."""
    variant = variants.find_variant(rules)
    assert adapt.find_untrained_parameters(variant) == untrained
    assert adapt.is_trained_champion("champion", variant) == (not untrained)
    assert adapt.is_trained_champion("champion@straight-1234abcd.npy", variant)
    assert not adapt.is_trained_champion("mishra-uniform", variant)


def test_trained_variants_are_those_of_the_weights_file():
    trained = champion_weights.player.TRAINED_VARIANTS
    assert (
        len(set(trained))
        == len(trained)
        == np.load(CHAMPION_FILE).size // champion_weights.player.N_WEIGHTS_PER_VARIANT
    )
    assert [
        champion_weights.find_trained_variant(variants.find_variant(name)) for name in trained
    ] == [*trained]


def test_training_requires_a_writable_cache(monkeypatch):
    """Check also that no trained player is found without a cache."""
    monkeypatch.setattr(jit, "get_cache_directory", lambda: None)
    assert adapt.load_adapted_champion("straight") is None
    with pytest.raises(TuneError, match="Set SIMGIN_CACHE_DIR to another directory"):
        adapt.adapt_champion("straight", **SMALL_TRAINING_SIZES)


@pytest.fixture(scope="module")
def training_folder(tmp_path_factory):
    """Shorten the training to one second, and store its results in a temporary folder."""
    folder = tmp_path_factory.mktemp("learned")
    with pytest.MonkeyPatch.context() as monkeypatch:
        for name, size in {
            "MATCH_VALUE_DEALS": 20_000,
            "REFINEMENT_MATCHES": 40,
            "ROLLOUT_DEALS_PER_CALL": 60,
        }.items():
            monkeypatch.setattr(champion_weights, name, size)
        ledger_file = property(lambda training: folder / f"{training.n_rounds}.sqlite")
        monkeypatch.setattr(adapt.AdaptRequest, "ledger_file", ledger_file)
        yield folder
    champion_weights.build_win_probability_table.cache_clear()


@pytest.mark.parametrize(
    ("rounds", "command"),
    [
        (3, "train champion -v straight --rounds 3 --deals 600"),
        (adapt.ADAPT_ROUNDS, "review straight --adapt -o out"),
    ],
)
def test_concurrent_training_of_the_same_player_is_rejected(
    training_folder, empty_directory, rounds, command
):
    with ledger.open_ledger(training_folder / f"{rounds}.sqlite", {}):
        error = run_simgin(*command.split(), exit_code=2).stderr
    assert "in use by another process. Wait until that process ends, then try again." in error


def run_small_training(workers, interrupt_after=None):
    """Train, and return the result and the weights file, or None if training is interrupted."""

    def interrupt_at_step(done, total, render=None):
        if done and len(render().splitlines()) == interrupt_after:
            raise KeyboardInterrupt

    training = adapt.AdaptRequest.read("champion", "straight", **SMALL_TRAINING_SIZES)
    try:
        result = adapt.run_adaptation(training, workers, interrupt_at_step)
    except KeyboardInterrupt:
        return None
    (weights_file,) = training.ledger_file.parent.glob(f"{training.n_rounds}-*.npy")
    assert result.weights_file_name == weights_file.name
    return result, weights_file.read_bytes()


def test_interrupted_training_gives_the_same_weights(training_folder, monkeypatch):
    assert adapt.load_adapted_champion("straight", **SMALL_TRAINING_SIZES) is None
    complete, content = run_small_training(1)
    for path in (training_folder / "2.sqlite", training_folder / complete.weights_file_name):
        path.unlink()
    assert (
        run_small_training(2, interrupt_after=1) is run_small_training(1, interrupt_after=2) is None
    )
    resumed, resumed_content = run_small_training(2)
    assert resumed_content == content and resumed.table.equals(complete.table)
    assert (resumed.win_rates == complete.win_rates).all() and resumed.win_rates.shape == (2, 3)
    # Cached weights are not trained again; a corrupt file is rewritten
    monkeypatch.setattr(champion_weights, "ChampionTrainer", None)
    (training_folder / complete.weights_file_name).write_bytes(b"damaged")
    assert adapt.load_adapted_champion("straight", **SMALL_TRAINING_SIZES).table.equals(
        complete.table
    )
    assert (training_folder / complete.weights_file_name).read_bytes() == content
    # 600 deals are too few: about 43 % of matches won, with a standard error of 2
    assert not complete.is_better and complete.player == "champion"
    assert "simgin keeps using champion" in complete.verdict_sentences[0]


def make_training_result(gains):
    """Return a training result with these confirmed gains, each with a standard error of 0.01."""
    lines = []
    for opponent, gain in gains.items():
        after = Estimate(0.5 + gain, 0.01, 100, 0.48 + gain, 0.52 + gain)
        before = Estimate(0.5, 0.0, 100, 0.5, 0.5)
        change = Estimate(gain, 0.01, 100, gain - 0.02, gain + 0.02)
        lines.append(OpponentComparison(opponent, after, before, change))
    confirmation = Confirmation(tuple(lines[:-1]), lines[-1], lines[-1])
    training = adapt.AdaptRequest.read("champion", "straight")
    match, course = training.match_request, np.zeros((12, 3))
    return adapt.AdaptedChampion(
        match, match.strategy, confirmation, training, np.zeros(3), course, 80.0
    )


def test_player_is_replaced_only_after_a_significant_gain():
    """Check a gain of 2.2 SE, which is not significant among four after Holm's correction."""
    no_gains = dict.fromkeys(adapt.TRAINING_OPPONENTS, 0.0)
    for gain, is_better in ((0.03, True), (0.022, False), (0.0, False), (-0.05, False)):
        result = make_training_result({**no_gains, "champion": gain})
        assert result.is_better == is_better and result.gain.value == gain
        assert result.player.startswith("champion@") == is_better
        assert ("did not improve" in result.verdict_sentences[0]) != is_better
    (_, loss_sentence) = make_training_result(
        {**no_gains, "simple": -0.04, "champion": 0.05}
    ).verdict_sentences
    assert (
        loss_sentence
        == "Against simple, its win rate is 4.0 ± 2.0 percentage points lower than before."
    )


def test_strongest_player_beats_the_trained_player(monkeypatch):
    """Expect `gold-early` if the trained player only improves on a weak `champion`."""
    monkeypatch.setattr(strongest, "find_strongest_player", lambda *_: "gold-early")
    gains = {**dict.fromkeys(adapt.TRAINING_OPPONENTS, 0.1), "champion": 0.06}
    for gain, player in ((0.1, "champion@"), (-0.14, "gold-early")):
        result = make_training_result({**gains, "gold-early": gain, "champion": 0.06})
        assert result.is_better
        monkeypatch.setattr(adapt, "load_adapted_champion", lambda *_, result=result: result)
        assert strongest.load_or_find_strongest("straight", 1, 1).startswith(player)


@pytest.mark.parametrize(
    ("rules", "has_own_weights"),
    [
        ("standard", True),
        ("tedesco", True),
        ("rush+box_bonus=10", True),
        ("oklahoma", False),
        ("hollywood", False),
        ("standard+shot=yes", False),
        ("standard+undercut_bonus=26", False),
    ],
)
def test_champion_is_not_trained_again_for_rules_with_own_weights(
    monkeypatch, rules, has_own_weights
):
    calls = []
    monkeypatch.setattr(strongest, "load_or_find_strongest", lambda *_: "champion")
    monkeypatch.setattr(strongest, "find_strongest_player", lambda *_: "champion")
    monkeypatch.setattr(adapt, "adapt_champion", lambda *_, **__: calls.append("training"))
    assert strongest.train_or_find_strongest(rules, 1, 1, None) == "champion"
    assert calls == ["training"] * (not has_own_weights)


def test_train_champion_rejects_opponents_and_solitaire_variants():
    error = run_simgin(*"train champion --against gold".split(), exit_code=2).stderr
    assert "--against cannot be used with champion" in error
    error = run_simgin(*"train champion -v solitaire-gin".split(), exit_code=2).stderr
    assert "is a solitaire variant" in error


def test_train_command_writes_weights_and_states_the_player(training_folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = "train champion -v straight --deals 600 --rounds 1 --confirm 1k".split()
    output = run_simgin(*arguments, "-o", "mine.npy", "--run", "page").stdout
    assert "simgin keeps using champion" in output and "against simple" not in output
    assert "Next:    simgin match champion@./mine.npy champion -v straight" in output
    assert {"report.html", "rounds.csv", "trained.npy"} < {
        path.name for path in Path("page").iterdir()
    }
    json_output = json.loads(run_simgin(*arguments, "--json").stdout)
    assert [row["opponent"] for row in json_output["rows"]] == [
        *adapt.TRAINING_OPPONENTS,
        "champion",
    ]
    assert all(0 <= row["p_holm"] <= 1 for row in json_output["rows"])
    assert "--rounds 1" in json_output["command"] and "--against" not in json_output["command"]


# Weights by file name


@pytest.fixture
def weights_file(tmp_path, monkeypatch):
    """Write champion's own weights to a file with another name."""
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    Path("in/mine.npy").write_bytes(CHAMPION_FILE.read_bytes())
    return "in/mine.npy"


@pytest.mark.parametrize(
    "spec", ["champion@{}", "simple+discard=champion@{}", "champion+knock=at:k=4@{}"]
)
def test_spec_with_a_weights_file_is_loaded(weights_file, spec):
    strategy = loader.find_strategy(spec.format(weights_file))
    assert strategy.spec == spec.format(weights_file)
    assert strategy.discard.weights == Path(weights_file)
    assert (
        strategy.answer.weights == loader.find_strategy("champion").answer.weights
        or "simple" in spec
    )
    assert pickle.loads(pickle.dumps(strategy)).policies == strategy.policies
    (short_name,) = {
        *make_short_names([parse_matchup(strategy.spec, "gold", "eaai", 1, "deal")]).values()
    }
    assert short_name == spec.format("mine.npy")


def test_weights_file_determines_the_actions_and_the_digest(weights_file):
    weights = np.load(weights_file)
    arguments = f"match champion@{weights_file} champion -v eaai --deals 200 --json".split()
    rows = json.loads(run_simgin(*arguments, "-o", "same").stdout)["rows"]
    margin = [row["value"] for row in rows if row["metric"] == "margin"]
    assert set(margin) == {0}
    np.save(weights_file, np.zeros_like(weights))
    changed_rows = json.loads(run_simgin(*arguments, "-o", "other").stdout)["rows"]
    assert [row["value"] for row in changed_rows if row["metric"] == "margin"] != margin
    manifests = [
        json.loads(Path(directory, "manifest.json").read_text()) for directory in ("same", "other")
    ]
    digests = [
        manifest["strategies"][f"champion@{weights_file}"]["digest"] for manifest in manifests
    ]
    assert len({*digests}) == 2


@pytest.fixture
def cached_weights(weights_file, monkeypatch):
    """Cache champion's own weights as those of a trained player."""
    jit.get_cache_directory()  # the cache of compiled code does not move
    monkeypatch.setenv("SIMGIN_CACHE_DIR", str(Path("cache").absolute()))
    name = loader.format_weights_file_name("straight-12345678", CHAMPION_FILE.read_bytes())
    path = Path(
        "cache", jit.compute_source_digest(), loader.TRAINED_WEIGHTS_FOLDER, name
    ).absolute()
    path.parent.mkdir(parents=True)
    path.write_bytes(CHAMPION_FILE.read_bytes())
    return path


def test_weights_name_without_a_folder_is_found_in_the_cache(cached_weights):
    spec = f"champion@{cached_weights.name}"
    np.save(cached_weights.name, np.zeros(25_136))  # a file of this name in the working directory
    strategy = loader.find_strategy(spec)
    assert strategy.spec == spec and strategy.discard.weights == cached_weights
    assert pickle.loads(pickle.dumps(strategy)).policies == strategy.policies
    mixed = loader.find_strategy(f"champion+knock=at:k=4@{cached_weights.name}")
    assert mixed.spec == f"champion+knock=at:k=4@{cached_weights.name}"
    local = loader.find_strategy(f"champion@./{cached_weights.name}")
    assert local.spec == f"champion@./{cached_weights.name}" and local.discard.weights == Path(
        cached_weights.name
    )
    assert loader.find_strategy(local.spec).policies == local.policies
    assert loader.find_strategy(f"champion@{Path.cwd()}/./{cached_weights.name}").spec.endswith(
        f"/{cached_weights.name}"
    )
    assert "/./" not in loader.find_strategy(f"champion@{Path.cwd()}/./{cached_weights.name}").spec


def test_trained_player_with_changed_weights_is_rejected(cached_weights):
    changed_weights = np.load(cached_weights)
    changed_weights[0] += 1
    np.save(cached_weights, changed_weights)
    error = run_simgin(
        "match", f"champion@{cached_weights.name}", "simple", "--deals", "100", exit_code=2
    ).stderr
    assert "was changed after training. Run `simgin train champion` for these rules" in error
    cached_weights.rename(cached_weights.with_name("mine.npy"))
    assert (
        "was changed after training"
        in run_simgin("match", "champion@mine.npy", "simple", exit_code=2).stderr
    )


@pytest.mark.parametrize(
    ("spec", "content", "message"),
    [
        (
            "champion@./none.npy",
            None,
            "none.npy was not found. Specify a file written by `simgin train",
        ),
        (
            "champion@bad.npy",
            np.zeros(5),
            "the trained player 'bad.npy' was not found. Run `simgin train",
        ),
        ("champion@bad.npy", None, "For a file in the current folder, write champion@./bad.npy."),
        (
            "champion@./bad.npy",
            np.zeros(5),
            "bad.npy contains 5 weights, but champion needs 25,136",
        ),
        ("champion@./bad.npy", np.full(25_136, np.nan), "the file is not an array of real numbers"),
        (
            "champion@./bad.npy",
            np.array(["a"] * 25_136),
            "the file is not an array of real numbers",
        ),
        ("champion@in/mine.npy+knock=at", None, "a file with parameters or weights must come last"),
        ("champion@in", None, "'champion@in' is not a known strategy"),
        ("gold@./bad.npy", np.zeros(5), "the discard policy of gold has no weights"),
    ],
)
def test_invalid_weights_file_is_rejected(weights_file, spec, content, message):
    if content is not None:
        np.save("bad.npy", content)
    assert message in run_simgin("match", spec, "simple", "--deals", "100", exit_code=2).stderr
