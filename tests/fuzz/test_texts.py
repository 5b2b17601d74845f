"""Cards, variants and strategies as people type them: taken as they say, or refused."""

import os
import string
import subprocess
import sys
from pathlib import Path

import pytest

from simgin.rules import variants
from simgin.rules.parameters import parameters
from simgin.rules.variants import find, validate
from simgin.strategy import loader
from simgin.text import notation
from support import play_variants
from support.hostile import MANY, ODD, accepted, answer, generator, mangled, sizes
from support.random_texts import ANYTHING, composition, hand, random_changes, settings, strategy

pytestmark = pytest.mark.usefixtures("empty_directory")


def is_text(word):
    """Whether a word can be written in UTF-8; the command line refuses it if not."""
    return not any(0xD800 <= ord(letter) < 0xE000 for letter in word)


def is_argument(word):
    """Whether a system can pass a word on to a program: no zero byte."""
    return "\0" not in word


# Variants


@sizes
def test_any_composition_is_a_variant_or_refused(n):
    rng = generator("compositions")
    sound = 0
    for _ in range(n):
        text = mangled(rng, composition(rng)) if rng.random() < 0.3 else composition(rng)
        found = accepted(find, text)
        taken = found is not None and is_text(text)
        words = ["diff", "standard"] if rng.random() < 0.2 else []
        code = answer("variants", *words, "--json", "--", text, codes=(0, 2)).exit_code
        assert code == (0 if taken else 2)
        if found is not None:
            sound += 1
            assert find(found.text) == found and validate(found.row) == []
    assert n / 5 < sound < 0.9 * n and os.listdir() == []


@sizes
def test_any_row_is_a_variant_or_refused(n):
    rng = generator("rows of rules")
    sound = 0
    for _ in range(n):
        row = {**find(rng.choice(variants.names())).row, **random_changes(rng)}
        if rng.random() < 0.1:
            del row[rng.choice(list(row))]
            row[rng.choice(ODD)] = rng.choice(ANYTHING)
        sentences = validate(row)
        assert all(sentence[-1] in ".?" and "\n" not in sentence for sentence in sentences)
        if not sentences:
            sound += 1
            assert find("+".join(["standard", *settings(row)])).row == row
    assert n / 5 < sound < 0.9 * n


def sound_compositions(name, n):
    """The texts of those of n compositions that are variants."""
    rng = generator(name)
    found = [accepted(find, composition(rng)) for _ in range(n)]
    return list(dict.fromkeys(variant.text for variant in found if variant))


def test_valid_compositions_can_be_played():
    texts = sound_compositions("played", 150)[:24]
    assert len(texts) == 24 and {find(text).row["players"] for text in texts} == {1, 2}
    for text in texts:
        play_variants.play(text)


@pytest.mark.slow
def test_ten_thousand_compositions_play_within_array_bounds():
    texts = sound_compositions("played within bounds", MANY)
    assert len(texts) > MANY / 10
    done = subprocess.run(
        [sys.executable, play_variants.__file__],
        input="".join(f"{text}\n" for text in texts),
        env={**os.environ, "NUMBA_BOUNDSCHECK": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=3600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines() == texts


# Cards


@sizes
def test_any_hand_is_read_or_refused(n):
    rng = generator("hands")
    sound = shown = 0
    for _ in range(n):
        text = hand(rng)
        found = accepted(notation.parse_cards, text)
        if found is not None:
            sound += 1
            mask = notation.hand_mask(found)
            again = notation.parse_cards(notation.hand_text(mask))
            assert notation.cards_in(mask) == sorted(found) == sorted(set(again))
        card_text = mangled(rng, rng.choice(("5S", "TH", "10D", "as")))
        card = accepted(notation.parse_card, card_text)
        written = card_text.strip().upper().replace("10", "T")
        assert card is None or notation.card_text(card) == written
        options = [
            *([], [], ["--upcard", card_text], ["--score", rng.randint(-5, 200)]),
            *(["-v", "shot"], ["-v", composition(rng)], ["--json"]),
        ]
        shown += answer("hand", *rng.choice(options), "--", text, codes=(0, 2)).exit_code == 0
    assert n / 5 < sound < 0.9 * n and n / 10 < shown < sound and os.listdir() == []


@sizes
def test_any_number_is_a_card_or_a_hand_or_refused(n):
    rng = generator("numbers of cards")
    for _ in range(n):
        accepted(notation.card_text, rng.randint(-60, 120))
        bits = rng.getrandbits(rng.randint(1, 80))
        accepted(notation.hand_text, rng.choice((1, -1)) * bits)
        accepted(notation.parse_cards, hand(rng), rng.randint(0, 12))


# Strategies


@sizes
def test_any_strategy_is_found_or_refused(n):
    rng = generator("strategies")
    sound = 0
    for _ in range(n):
        text = mangled(rng, strategy(rng))
        found = accepted(loader.find, text)
        code = answer("strategies", "--json", "--", text, codes=(0, 2)).exit_code
        assert code == (0 if found and is_text(text) else 2)
        if found is not None:
            sound += 1
            again = loader.find(found.text)
            assert again.text == found.text
            assert loader.policy_texts(again) == loader.policy_texts(found)
    assert n / 40 < sound < 0.9 * n and os.listdir() == []  # about one in twelve is valid


# Any characters, in every place of a text


@sizes
def test_any_characters_are_a_text_or_refused(n):
    rng = generator("characters")
    letters = (*ODD, *string.printable)
    places = [["variants"], ["strategies"], ["hand"], ["match", "gold"], ["run", "--dry-run"]]
    places += [["show"], ["variants", "diff", "eaai"], ["report"], ["compare", "a"]]
    for _ in range(n):
        text = "".join(rng.choice(letters) for _ in range(rng.randint(0, 12)))
        accepted(find, text)
        accepted(loader.find, text)
        if is_argument(text):
            answer(*rng.choice(places), "--", text, codes=(0, 2))
    assert os.listdir() == []


# New files


@sizes
def test_a_new_file_is_sound_or_refused(n):
    rng = generator("new files")
    written = 0
    for _ in range(n):
        name = mangled(rng, rng.choice(("mine", "oklahoma", "A b", "x.y", "-")))
        name = name.replace("/", "|").replace("\0", "")
        if rng.random() < 0.5:
            name += rng.choice((".toml", ".toml", ".toml", ".TOML", ""))
            start = composition(rng) if rng.random() < 0.5 else rng.choice(variants.names())
            words = ["variants", "new", "--from", start, "--", name]
        else:
            name += rng.choice((".py", ".py", ".py", ".PY", ""))
            more = [mangled(rng, "own")] if rng.random() < 0.3 else []
            words = ["strategies", "new", "--", name, *more]
        code = answer(*words, codes=(0, 2)).exit_code
        assert os.listdir() == ([name] if code == 0 else []), words
        if code == 0:
            written += 1
            answer(*words, codes=(2,))
            if name.endswith(".py"):
                loader.find(name)
            else:
                assert find(name).row == find(start).row
            Path(name).unlink()
    assert n / 5 < written < 0.9 * n


def test_every_parameter_is_drawn():
    """The random compositions reach every parameter of the rules."""
    rng = generator("compositions")
    drawn = {name for _ in range(300) for name in random_changes(rng)}
    assert drawn == set(parameters())
