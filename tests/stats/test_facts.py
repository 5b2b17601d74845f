"""Every fact that the kernel adds up has words of its own."""

import pytest

from simgin.core import sums
from simgin.stats import facts


def test_every_fact_has_a_meaning_of_its_own() -> None:
    meanings = [facts.meaning(fact) for fact in sums.FACTS]
    assert all(meanings)
    assert len(set(meanings)) == len(meanings)


@pytest.mark.parametrize("name", ["", "a_won_void", "points_void", "nonsense"])
def test_an_unknown_fact_has_none(name: str) -> None:
    with pytest.raises(KeyError):
        facts.meaning(name)
