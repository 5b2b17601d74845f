"""Validation of variants, strategies and seeds in requests from the browser."""

from __future__ import annotations

import re
from collections.abc import Sequence

from simgin.rules.variants import Variant, VariantError, find_variant
from simgin.strategy import loader
from simgin.strategy.author import Strategy
from simgin.strategy.strategy_spec import StrategyError, parse_spec
from simgin.text.amounts import parse_seed
from simgin.text.messages import quote_text, suggest_spelling

MAX_SPEC_LENGTH = 1000
FILE_REFERENCE_PATTERN = re.compile(r"\.toml|\.py|\.npy|[#@\\~]", re.IGNORECASE)
VARIANT_NAME_PATTERN = re.compile(r"[a-z0-9-]+")


def parse_seed_field(text: str) -> int:
    """Parse a seed, or raise SimginError if it is invalid."""
    return parse_seed(int(text) if re.fullmatch(r"[0-9]{1,20}", text) else text)


def find_allowed_variant(spec: str) -> Variant:
    """Return the variant for a spec that starts with the name of a built-in variant.

    Raises:
        VariantError: If the spec is not valid or refers to a file.
    """
    base_name = spec.partition("+")[0]
    # Slashes can occur only in parameter values.
    names = [part.partition("=")[0] for part in spec.split("+")]
    has_path = FILE_REFERENCE_PATTERN.search(spec) or any("/" in name_part for name_part in names)
    if has_path or len(spec) > MAX_SPEC_LENGTH or not VARIANT_NAME_PATTERN.fullmatch(base_name):
        raise VariantError(
            [f"{quote_text(spec)} is not a built-in variant. Choose a variant from the list."]
        )
    return find_variant(spec)


def find_allowed_strategy(spec: str, extra_specs: Sequence[str] = ()) -> Strategy:
    """Return the strategy for a spec, or raise StrategyError if it refers to another file.

    Args:
        spec: Spec of the strategy.
        extra_specs: Specs of the strategies that were specified when the server was started.

    Raises:
        StrategyError: If the spec is not valid or refers to any other file.
    """
    if spec in extra_specs:
        return loader.find_strategy(spec)
    if FILE_REFERENCE_PATTERN.search(spec) or "/" in spec or len(spec) > MAX_SPEC_LENGTH:
        raise StrategyError(
            f"{quote_text(spec)} is not a built-in strategy. Choose a strategy from the list, or "
            "start the server with `simgin web FILE.py`."
        )
    name = parse_spec(spec).strategy.name
    if name not in loader.list_strategies():
        suggestion = suggest_spelling(name, loader.list_strategies())
        raise StrategyError(
            f"{quote_text(name)} is not a built-in strategy{suggestion} Choose a strategy from the "
            "list."
        )
    return loader.find_strategy(spec)
