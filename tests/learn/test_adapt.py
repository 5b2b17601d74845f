"""Adapted champions: reproducible weights, the choice of player, and names of weight files."""

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
from support.command_line import call
from support.variant_files import CLUB

TOY_SIZES = {"deals": 600, "confirmation_matches": 1000, "rounds": 2}
CHAMPION_FILE = Path(__file__).resolve().parents[2] / "strategies" / "champion.npy"


def test_players_of_other_rules_or_sizes_are_kept_apart(tmp_path, monkeypatch):
    """The rules in a file can change under the same name."""
    asked = [("straight", {}), ("oklahoma", {}), ("straight", {"seed": 2})]
    asked += [("straight", {name: 99}) for name in ("deals", "rounds")]
    found = [
        adapt.AdaptRequest.read("champion", name, **sizes).ledger_file for name, sizes in asked
    ]
    for bonus in ("30", "40"):
        (tmp_path / bonus).mkdir()
        monkeypatch.chdir(tmp_path / bonus)
        Path("mine.toml").write_text(CLUB.replace("30", bonus))
        found.append(adapt.AdaptRequest.read("champion", "mine.toml").ledger_file)
    assert len({place.stem[-8:] for place in found}) == len(found)


@pytest.mark.parametrize(
    ("rules", "others"),
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
        ("hollywood", ["goal"]),
        ("shot+shot_deducts=yes", ["shot_deducts"]),
        ("standard+melding=choice", ["melding"]),
    ],
)
def test_the_rules_that_champion_did_not_learn_are_known(rules, others):
    """The range of the training includes most bonuses, limits and melds, but not all goals."""
    variant = variants.find_variant(rules)
    assert adapt.find_untrained_parameters(variant) == others
    assert adapt.is_trained_champion("champion", variant) == (not others)
    assert adapt.is_trained_champion("champion@straight-1234abcd.npy", variant)
    assert not adapt.is_trained_champion("mishra-uniform", variant)


def test_every_kind_of_rules_in_champions_file_is_named_once():
    learned = champion_weights.player.TRAINED_VARIANTS
    assert (
        len(set(learned))
        == len(learned)
        == np.load(CHAMPION_FILE).size // champion_weights.player.RULES_SIZE
    )
    assert [
        champion_weights.find_trained_variant(variants.find_variant(name)) for name in learned
    ] == [*learned]


def test_nothing_is_kept_where_the_cache_cannot_be_written(monkeypatch):
    """A review without --adapt only looks for players; an invalid training never starts."""
    monkeypatch.setattr(jit, "get_cache_directory", lambda: None)
    assert adapt.load_adapted_champion("straight") is None
    with pytest.raises(TuneError, match="Set SIMGIN_CACHE_DIR to another directory"):
        adapt.adapt_champion("straight", **TOY_SIZES)


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    """Run trainings of one second in separate folders; they make champion worse."""
    folder = tmp_path_factory.mktemp("learned")
    with pytest.MonkeyPatch.context() as patched:
        for name, size in {
            "MATCH_VALUE_DEALS": 20_000,
            "REFINEMENT_MATCHES": 40,
            "ROLLOUT_BLOCK": 60,
        }.items():
            patched.setattr(champion_weights, name, size)
        place = property(lambda training: folder / f"{training.rounds}.sqlite")
        patched.setattr(adapt.AdaptRequest, "ledger_file", place)
        yield folder
    champion_weights.build_win_probability_table.cache_clear()


@pytest.mark.parametrize(
    ("rounds", "words"),
    [
        (3, "train champion -v straight --rounds 3 --deals 600"),
        (adapt.ADAPT_ROUNDS, "review straight --adapt -o out"),
    ],
)
def test_a_second_training_of_the_same_player_is_rejected(toy, empty_directory, rounds, words):
    with ledger.open_ledger(toy / f"{rounds}.sqlite", {}):
        told = call(*words.split(), code=2).stderr
    assert "in use by another process. Wait until that process ends, then try again." in told


def train_toy(workers, stop=None):
    """Return the result of a training and its file, or None if a round interrupted it."""

    def interrupt_at_step(done, total, render=None):
        if done and len(render().splitlines()) == stop:
            raise KeyboardInterrupt

    training = adapt.AdaptRequest.read("champion", "straight", **TOY_SIZES)
    try:
        found = adapt.run_adaptation(training, workers, interrupt_at_step)
    except KeyboardInterrupt:
        return None
    (file,) = training.ledger_file.parent.glob(f"{training.rounds}-*.npy")
    assert found.name == file.name
    return found, file.read_bytes()


def test_broken_off_anywhere_it_comes_to_the_same_bytes_with_any_number_of_workers(
    toy, monkeypatch
):
    assert adapt.load_adapted_champion("straight", **TOY_SIZES) is None
    whole, content = train_toy(1)
    for file in (toy / "2.sqlite", toy / whole.name):
        file.unlink()
    assert train_toy(2, stop=1) is train_toy(1, stop=2) is None
    again, same = train_toy(2)
    assert same == content and again.table.equals(whole.table)
    assert (again.win_rates == whole.win_rates).all() and again.win_rates.shape == (2, 3)
    # Cached weights are not trained again; a corrupt file is rewritten
    monkeypatch.setattr(champion_weights, "ChampionTrainer", None)
    (toy / whole.name).write_bytes(b"damaged")
    assert adapt.load_adapted_champion("straight", **TOY_SIZES).table.equals(whole.table)
    assert (toy / whole.name).read_bytes() == content
    # 600 deals are too few: about 43 % of matches won, with a standard error of 2
    assert not whole.is_better and whole.player == "champion"
    assert "simgin keeps using champion" in whole.sentences[0]


def make_result(gains):
    """Return a result whose confirmation has these gains, each with a standard error of 0.01."""
    lines = []
    for opponent, gain in gains.items():
        after = Estimate(0.5 + gain, 0.01, 100, 0.48 + gain, 0.52 + gain)
        before = Estimate(0.5, 0.0, 100, 0.5, 0.5)
        change = Estimate(gain, 0.01, 100, gain - 0.02, gain + 0.02)
        lines.append(OpponentComparison(opponent, after, before, change))
    confirmation = Confirmation(tuple(lines[:-1]), lines[-1], lines[-1])
    training = adapt.AdaptRequest.read("champion", "straight")
    match, course = training.match, np.zeros((12, 3))
    return adapt.AdaptedChampion(
        match, match.strategy, confirmation, training, np.zeros(3), course, 80.0
    )


def test_what_plays_follows_from_the_matches_against_champion():
    """A gain of 2.2 SE is significant on its own, but not among four after Holm's correction."""
    same = dict.fromkeys(adapt.TRAINING_OPPONENTS, 0.0)
    for gain, is_better in ((0.03, True), (0.022, False), (0.0, False), (-0.05, False)):
        found = make_result({**same, "champion": gain})
        assert found.is_better == is_better and found.gain.value == gain
        assert found.player.startswith("champion@") == is_better
        assert ("did not improve" in found.sentences[0]) != is_better
    (_, worse) = make_result({**same, "simple": -0.04, "champion": 0.05}).sentences
    assert worse == "Against simple, its win rate is 4.0 ± 2.0 percentage points lower than before."


def test_a_trained_player_that_another_strategy_beats_is_not_the_strong_player(monkeypatch):
    """Training can improve on a `champion` that is much weaker than `gold-early`."""
    monkeypatch.setattr(strongest, "find_strongest_player", lambda *_: "gold-early")
    gains = {**dict.fromkeys(adapt.TRAINING_OPPONENTS, 0.1), "champion": 0.06}
    for gain, player in ((0.1, "champion@"), (-0.14, "gold-early")):
        found = make_result({**gains, "gold-early": gain, "champion": 0.06})
        assert found.is_better
        monkeypatch.setattr(adapt, "load_adapted_champion", lambda *_, found=found: found)
        assert strongest.load_or_find_strongest("straight", 1, 1).startswith(player)


def test_champion_has_opponents_of_its_own():
    told = call(*"train champion --against gold".split(), code=2).stderr
    assert "--against cannot be used with champion" in told
    told = call(*"train champion -v solitaire-gin".split(), code=2).stderr
    assert "is a solitaire variant" in told


def test_the_command_says_what_plays_and_writes_a_file_for_it(toy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = "train champion -v straight --deals 600 --rounds 1 --confirm 1k".split()
    said = call(*words, "-o", "mine.npy", "--run", "page").stdout
    assert "simgin keeps using champion" in said and "against simple" not in said
    assert "Next:    simgin match champion@./mine.npy champion -v straight" in said
    assert {"report.html", "rounds.csv", "trained.npy"} < {x.name for x in Path("page").iterdir()}
    answer = json.loads(call(*words, "--json").stdout)
    assert [row["opponent"] for row in answer["rows"]] == [*adapt.TRAINING_OPPONENTS, "champion"]
    assert all(0 <= row["p_holm"] <= 1 for row in answer["rows"])
    assert "--rounds 1" in answer["command"] and "--against" not in answer["command"]


# Weights by file name


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Write champion's own weights to a file with another name."""
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    Path("in/mine.npy").write_bytes(CHAMPION_FILE.read_bytes())
    return "in/mine.npy"


@pytest.mark.parametrize(
    "text", ["champion@{}", "simple+discard=champion@{}", "champion+knock=at:k=4@{}"]
)
def test_a_strategy_with_other_weights_is_found_by_its_text(file, text):
    found = loader.find_strategy(text.format(file))
    assert found.spec == text.format(file)
    assert found.discard.weights == Path(file)
    assert (
        found.answer.weights == loader.find_strategy("champion").answer.weights or "simple" in text
    )
    assert pickle.loads(pickle.dumps(found)).policies == found.policies
    (short,) = {*make_short_names([parse_matchup(found.spec, "gold", "eaai", 1, "deal")]).values()}
    assert short == text.format("mine.npy")


def test_it_plays_by_the_content_of_the_file_and_the_manifest_tells_it(file):
    numbers = np.load(file)
    words = f"match champion@{file} champion -v eaai --deals 200 --json".split()
    same = json.loads(call(*words, "-o", "same").stdout)["rows"]
    margin = [row["value"] for row in same if row["metric"] == "margin"]
    assert set(margin) == {0}
    np.save(file, np.zeros_like(numbers))
    other = json.loads(call(*words, "-o", "other").stdout)["rows"]
    assert [row["value"] for row in other if row["metric"] == "margin"] != margin
    both = [json.loads(Path(place, "manifest.json").read_text()) for place in ("same", "other")]
    digests = [one["strategies"][f"champion@{file}"]["digest"] for one in both]
    assert len({*digests}) == 2


@pytest.fixture
def cached_weights(file, monkeypatch):
    """Cache champion's own weights as those of a trained player."""
    jit.get_cache_directory()  # the cache of compiled code does not move
    monkeypatch.setenv("SIMGIN_CACHE_DIR", str(Path("cache").absolute()))
    name = loader.format_learned_name("straight-12345678", CHAMPION_FILE.read_bytes())
    path = Path("cache", jit.compute_compiled_digest(), loader.LEARNED_FOLDER, name).absolute()
    path.parent.mkdir(parents=True)
    path.write_bytes(CHAMPION_FILE.read_bytes())
    return path


def test_a_name_without_a_folder_is_that_of_a_learned_player(cached_weights):
    text = f"champion@{cached_weights.name}"
    np.save(cached_weights.name, np.zeros(25_136))  # a file of this name in the working directory
    found = loader.find_strategy(text)
    assert found.spec == text and found.discard.weights == cached_weights
    assert pickle.loads(pickle.dumps(found)).policies == found.policies
    mixed = loader.find_strategy(f"champion+knock=at:k=4@{cached_weights.name}")
    assert mixed.spec == f"champion+knock=at:k=4@{cached_weights.name}"
    here = loader.find_strategy(f"champion@./{cached_weights.name}")
    assert here.spec == f"champion@./{cached_weights.name}" and here.discard.weights == Path(
        cached_weights.name
    )
    assert loader.find_strategy(here.spec).policies == here.policies
    assert loader.find_strategy(f"champion@{Path.cwd()}/./{cached_weights.name}").spec.endswith(
        f"/{cached_weights.name}"
    )
    assert "/./" not in loader.find_strategy(f"champion@{Path.cwd()}/./{cached_weights.name}").spec


def test_a_learned_player_with_other_weights_does_not_play(cached_weights):
    other = np.load(cached_weights)
    other[0] += 1
    np.save(cached_weights, other)
    told = call(
        "match", f"champion@{cached_weights.name}", "simple", "--deals", "100", code=2
    ).stderr
    assert "was changed after training. Run `simgin train champion` for these rules" in told
    cached_weights.rename(cached_weights.with_name("mine.npy"))
    assert (
        "was changed after training" in call("match", "champion@mine.npy", "simple", code=2).stderr
    )


@pytest.mark.parametrize(
    ("text", "content", "told"),
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
def test_other_files_get_a_sentence(file, text, content, told):
    if content is not None:
        np.save("bad.npy", content)
    assert told in call("match", text, "simple", "--deals", "100", code=2).stderr
