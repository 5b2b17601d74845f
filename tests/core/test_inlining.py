"""What is forced inline in the kernel: the functions that say so, and no others."""

import re

import pytest

from simgin.core import batch, inner, jit
from simgin.play import kernel

pytestmark = pytest.mark.skipif(jit.interpreted(), reason="nothing is compiled")


def names(mangled):
    """The parts of a mangled name: simgin, core, planes, points_in."""
    found, rest = [], mangled.removeprefix("_ZN")
    while length := re.match(r"\d+", rest):
        start, size = length.end(), int(length[0])
        found.append(rest[start : start + size])
        rest = rest[start + size :]
    return found


def is_marked(module, name):
    function = getattr(__import__(module, fromlist=[name]), name, None)
    return isinstance(function, inner.LazyDispatcher) and function.targetoptions.get("forceinline")


@pytest.mark.parametrize("players", [1, 2])
def test_only_marked_functions_are_forced_inline(players):
    """numba hands the option down to what is first compiled inside: 33 copies of the solver."""
    loop = batch.play_solo_units if players == 1 else batch.play_units
    function = jit.compiled(loop, keep=False, distinct=True)
    with inner._one_deeper():  # compiled as a part of something: linked, not optimised
        function.compile(kernel.signature(players))
    (result,) = function.overloads.values()
    forced = set()
    for code in result.library._final_module.functions:
        if b"alwaysinline" in list(code.attributes):
            *place, name = names(code.name)
            if place and place[0].startswith("simgin"):
                forced.add((".".join(place), name))
    assert ("simgin.core.planes", "points_in") in forced
    assert {(module, name) for module, name in forced if not is_marked(module, name)} == set()
