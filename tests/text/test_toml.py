"""TOML files made to use up time or memory, or to fill the screen: a short refusal, at once."""

from pathlib import Path

import pytest

from support.hostile import harmless, in_time

NAME = ".".join("a" * 60_000)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        *((text, "a line of more than 300 dots") for text in (f"{NAME} = 1", f"[{NAME}]")),
        (f"x = {{ {NAME} = 1 }}", "a line of more than 300 dots"),
        ("x = '" + "x" * 2**20 + "'", "larger than 1 MiB"),
        ("x = " + "[" * 2**18 + "]" * 2**18, "nested too deep"),
        ("x = " + "{x=" * 2**18, "nested too deep"),
        (".".join("x" * 300) + " = " + "[" * 300 + "]" * 300, ""),
        ("\n".join(f"k{n} = 1" for n in range(50_000)), "more mistakes."),
        ("".join(f"[variants.V{n}]\nx = 1\n" for n in range(5000)), "more mistakes."),
        (f"solo = {[f'x{n}' for n in range(20_000)]}\n", "more mistakes."),
        (f"matchups = {['x' * 1000] * 900}", "more mistakes."),
        (f"variants = ['{'x' * 10**6}']", ""),
    ],
    ids=range(12),
)
def test_a_hostile_file_is_refused_in_a_few_lines(empty_directory, text, told):
    Path("e.toml").write_text(text)
    with in_time(60):
        said = [
            harmless(*words, codes=(2,)).stderr
            for words in (("run", "e.toml", "--dry-run"), ("variants", "e.toml"))
        ]
    assert max(map(len, said)) < 10_000 and told in "".join(said)
