"""The sentences that refuse a variant."""

import pytest

from simgin.rules.variants import VariantError, find


def sentences(text):
    """The sentences with which a variant's text is refused."""
    with pytest.raises(VariantError) as error:
        find(text)
    assert str(error.value) == "\n".join(error.value.sentences)
    return error.value.sentences
