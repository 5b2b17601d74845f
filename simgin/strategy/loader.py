"""Find strategies by name, file or entry point, and read and write their text form.

    name[:p=v{,p=v}]{+slot=name[:p=v{,p=v}]}      gold   gold-early:k=7   simple+knock=at:k=4   mine.py   mine.py#second+discard=low

After `slot=` the policies of that slot come before strategies, whose policy of that slot is meant. `+stake=` sets offer and answer.
"""

import difflib
import hashlib
import importlib
import importlib.util
import pkgutil
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from simgin.strategy.author import SLOTS, Policy, Strategy, coded, written

DEFAULTS = {
    "take": "lower",
    "discard": "low",
    "knock": "at",
    "offer": "none",
    "answer": "never",
    "show": "first",
}
_PART = re.compile(r"\+(?=(?:" + "|".join([*SLOTS, "stake"]) + r")=)")
_VALUES = re.compile(r":(?=[A-Za-z_]\w*=)")
_ITEM = re.compile(r"\s*\w+\s*=.*\S.*")
_NAME = re.compile(r"[a-z0-9-]+")


class StrategyError(ValueError):
    """A strategy that cannot be found or read; the message is a sentence with the remedy."""


@dataclass(frozen=True)
class _Shelf:
    """What one folder, file or entry point offers."""

    strategies: dict[str, Strategy]
    policies: dict[tuple[str, str], Policy]  # (slot, name)


def find(text: str) -> Strategy:
    """The strategy that a text form names, complete in every slot, its `.text` canonical. StrategyError with a sentence otherwise."""
    head, *parts = _PART.split(str(text).strip())
    name, values = _split(head)
    strategy = _with_values(_strategy(name), values, text)
    exchanged: dict[str, Policy] = {}
    for part in parts:
        slot, _, form = part.partition("=")
        for one in ("offer", "answer") if slot == "stake" else (slot,):
            exchanged[one] = _part(one, form)
    return _exchanged(strategy, exchanged, _canonical(name, strategy, exchanged))


def names() -> tuple[str, ...]:
    """The names of all strategies that need no path: built in, or installed under the entry-point group simgin.strategies."""
    return tuple(sorted(_shelf().strategies))


def shipped() -> tuple[str, ...]:
    """The names of the strategies that come with simgin."""
    return tuple(sorted(_collect(_own_modules()).strategies))


def policies() -> list[Policy]:
    """Every policy that can be named after `slot=`, by slot and name."""
    return [
        policy
        for _, policy in sorted(
            _shelf().policies.items(), key=lambda item: (SLOTS.index(item[0][0]), item[0][1])
        )
    ]


def files(strategy: Strategy) -> list[Path]:
    """The files a strategy was made from, its data files included."""
    found = {p.source for p in _filled(strategy)} | {
        p.weights for p in _filled(strategy) if p.weights
    }
    return sorted(found)


def digest(strategy: Strategy) -> str:
    """Digest of everything a strategy consists of but the values of its parameters: its files, byte for byte."""
    h = hashlib.sha256()
    for path in files(strategy):
        h.update(path.name.encode() + path.read_bytes())
    return h.hexdigest()[:16]


def parameters(strategy: Strategy) -> dict[str, dict[str, float]]:
    """The values of all parameters, by slot and name."""
    return {
        p.slot: {name: one.default for name, one in p.params.items()} for p in _filled(strategy)
    }


def described(strategy: Strategy) -> list[tuple[str, str]]:
    """(slot, policy in its text form with every value) for the slots in use."""
    return [(p.slot, p.name + _values_text(p, {})) for p in _filled(strategy)]


def _exchanged(strategy: Strategy, policies: dict[str, Policy], text: str = "") -> Strategy:
    """The strategy with other policies in some slots."""
    slots: dict[str, Any] = dict(policies)
    return replace(strategy, text=text, **slots)


# Reading the text form


def _split(text: str) -> tuple[str, dict[str, str]]:
    """A name and its values: `at:k=4` -> at, {k: 4}."""
    name, *rest = _VALUES.split(text.strip(), maxsplit=1)
    values = {}
    items = rest[0].split(",") if rest else []
    if (":" in name and not name.partition("#")[0].endswith(".py")) or not all(
        _ITEM.fullmatch(item) for item in items
    ):
        raise StrategyError(
            f"{_shown(text)} is not of the form name:parameter=value,parameter=value."
        )
    for item in items:
        key, _, value = item.partition("=")
        values[key.strip()] = value.strip()
    return name.strip(), values


def _with_values(strategy: Strategy, values: dict[str, str], text: str) -> Strategy:
    """The strategy with values given to the one policy that has each parameter, or to all that declare it alike."""
    for name, value in values.items():
        owners = [p for p in _filled(strategy) if name in p.params]
        if len({p.params[name] for p in owners}) != 1:
            raise StrategyError(_no_parameter(strategy, name, owners))
        strategy = _exchanged(strategy, {p.slot: _bound(p, {name: value}, text) for p in owners})
    return strategy


def _no_parameter(strategy: Strategy, name: str, owners: list[Policy]) -> str:
    if owners:
        slots = " or ".join(f"+{p.slot}={p.name}:{name}=..." for p in owners)
        return f"{strategy.name!r} has different parameters {_shown(name)} in several slots; say which: {slots}."
    known = [key for p in _filled(strategy) for key in p.params]
    return f"{strategy.name!r} has no parameter {_shown(name)}; it has {', '.join(known) or 'none'}.{_nearest(name, known)}"


def _part(slot: str, form: str) -> Policy:
    """The policy that `slot=form` names."""
    name, values = _split(form)
    return _bound(_policy(slot, name), values, form)


def _bound(policy: Policy, values: dict[str, str], text: str) -> Policy:
    params = dict(policy.params)
    for name, value in values.items():
        if name not in params:
            raise StrategyError(
                f"the {policy.slot} policy {policy.name!r} has no parameter {_shown(name)}; it has {', '.join(params) or 'none'}."
            )
        try:
            params[name] = replace(params[name], default=coded(params[name], value))
        except ValueError as error:
            raise StrategyError(f"{_shown(text)}: {name} {error}.") from None
    return replace(policy, params=params)


# Writing it


def _canonical(name: str, strategy: Strategy, exchanged: dict[str, Policy]) -> str:
    """The text of a strategy with some slots exchanged: parameters in declared order, what changes nothing left out."""
    base = _strategy(name)
    values: dict[str, str] = {}  # what several policies share is said once
    for slot in SLOTS:
        policy, own = strategy.policy(slot), base.policy(slot)
        if slot not in exchanged and policy is not None and own is not None:
            values |= _changed(policy, {key: p.default for key, p in own.params.items()})
    parts = [
        f"+{slot}={_reference(exchanged[slot])}"
        for slot in SLOTS
        if slot in exchanged and exchanged[slot] != _as_said(base.policy(slot), values)
    ]
    return name + _joined(values) + "".join(parts)


def _as_said(own: Policy | None, values: dict[str, str]) -> Policy | None:
    """A strategy's policy once the values said with the strategy's name are given to it."""
    return own and own(**{name: value for name, value in values.items() if name in own.params})


def _reference(policy: Policy) -> str:
    """A policy's text form; one that has no name of its own on a shelf keeps the path it came from."""
    shelf = _shelf().policies.get((policy.slot, policy.name))
    if shelf is not None and shelf.function is policy.function:
        return policy.name + _values_text(
            policy, {key: p.default for key, p in shelf.params.items()}
        )
    return f"{policy.source}#{policy.name}" + _values_text(policy, _declared(policy))


def _declared(policy: Policy) -> dict[str, float]:
    found = _file_shelf(policy.source).policies.get((policy.slot, policy.name))
    return {key: p.default for key, p in found.params.items()} if found else {}


def _values_text(policy: Policy, defaults: dict[str, float]) -> str:
    return _joined(_changed(policy, defaults))


def _changed(policy: Policy, defaults: dict[str, float]) -> dict[str, str]:
    """The values that are not the defaults."""
    return {
        name: written(p, p.default)
        for name, p in policy.params.items()
        if p.default != defaults.get(name)
    }


def _joined(values: dict[str, str]) -> str:
    return ":" + ",".join(f"{name}={value}" for name, value in values.items()) if values else ""


# Shelves


def _filled(strategy: Strategy) -> list[Policy]:
    return [policy for slot in SLOTS if (policy := strategy.policy(slot)) is not None]


def _strategy(name: str) -> Strategy:
    """A strategy by name or path, its empty slots filled with the defaults."""
    path, _, inner = name.partition("#")
    if path.endswith(".py"):
        shelf = _file_shelf(Path(path))
        return _complete(_one_of(shelf.strategies, inner, path))
    shelf = _shelf()
    if name not in shelf.strategies:
        known = list(shelf.strategies)
        raise StrategyError(
            f"there is no strategy {_shown(name)}.{_nearest(name, known)} `simgin strategies` lists them all."
        )
    return _complete(shelf.strategies[name])


def _one_of(strategies: dict[str, Strategy], inner: str, path: str) -> Strategy:
    if inner and inner not in strategies:
        raise StrategyError(
            f"{path} has no strategy {_shown(inner)}; it has {', '.join(strategies) or 'none'}."
        )
    if inner:
        return strategies[inner]
    if not strategies:
        raise StrategyError(
            f'{path} has no strategy; it needs a line like STRATEGY = Strategy("name", discard=...).'
        )
    if len(strategies) > 1:
        raise StrategyError(
            f"{path} has several strategies; say which: {', '.join(f'{path}#{name}' for name in strategies)}."
        )
    return next(iter(strategies.values()))


def _policy(slot: str, name: str) -> Policy:
    """A policy of a slot by its own name, or a strategy's policy of that slot."""
    path, _, inner = name.partition("#")
    shelf = _file_shelf(Path(path)) if path.endswith(".py") else _shelf()
    wanted = inner if path.endswith(".py") else name
    if (slot, wanted) in shelf.policies:
        return shelf.policies[slot, wanted]
    own = [policy for (one, _), policy in shelf.policies.items() if one == slot]
    if path.endswith(".py") and not inner and len(own) == 1:
        return own[0]
    if not path.endswith(".py") and name not in shelf.strategies:
        known = [n for s, n in shelf.policies if s == slot] + list(shelf.strategies)
        raise StrategyError(
            f"there is no {slot} policy and no strategy {_shown(name)}.{_nearest(name, known)}"
        )
    policy = _strategy(name).policy(slot)
    if policy is None:
        raise StrategyError(f"{_shown(name)} has no {slot} policy.")
    return policy


def _complete(strategy: Strategy) -> Strategy:
    """The strategy with the project's defaults in the slots that its author left out."""
    missing = {
        slot: _shelf().policies[slot, name]
        for slot, name in DEFAULTS.items()
        if strategy.policy(slot) is None
    }
    return _exchanged(strategy, missing)


@cache
def _shelf() -> _Shelf:
    """Everything that has a name: the built-in folder, then entry points. A name given twice is an error."""
    return _collect([*_own_modules(), *map(plug_in, plug_ins())])


def _own_modules() -> list[ModuleType]:
    import simgin_strategies

    return [
        importlib.import_module(f"simgin_strategies.{info.name}")
        for info in pkgutil.iter_modules(simgin_strategies.__path__)
        if not info.name.startswith("_")
    ]


def plug_ins() -> list[EntryPoint]:
    """The entry points by which other packages offer strategies."""
    return list(entry_points(group="simgin.strategies"))


def plug_in(point: EntryPoint) -> ModuleType:
    """The module behind an entry point. StrategyError if it cannot be loaded."""
    try:
        loaded = point.load()
    except Exception as error:
        package = point.dist.name if point.dist else "that offers it"
        raise StrategyError(
            f"the plug-in {point.name!r} of the package {package} cannot be loaded: {type(error).__name__}: {error}. "
            "Update that package, or remove it with pip uninstall."
        ) from None
    return loaded if isinstance(loaded, ModuleType) else sys.modules[loaded.__module__]


def _collect(modules: Iterable[ModuleType]) -> _Shelf:
    """The strategies and policies that modules define (not those that they import from one another)."""
    shelf = _Shelf({}, {})
    for module in modules:
        for thing in vars(module).values():
            if (
                isinstance(thing, Policy)
                and thing.function.__module__ == module.__name__
                and thing.name
            ):
                if thing == shelf.policies.setdefault((thing.slot, thing.name), thing):
                    continue
                raise StrategyError(
                    f"two {thing.slot} policies are called {thing.name!r}; the second is in {module.__file__}."
                )
            if isinstance(thing, Strategy):
                _add_strategy(shelf, thing, module)
    return shelf


def _add_strategy(shelf: _Shelf, strategy: Strategy, module: ModuleType) -> None:
    if not _NAME.fullmatch(strategy.name):
        raise StrategyError(
            f"{module.__file__}: a strategy's name is made of a-z, 0-9 and -, and {strategy.name!r} is not."
        )
    if strategy.ending not in ("best", "same"):
        raise StrategyError(f"{module.__file__}: ending is best or same, not {strategy.ending!r}.")
    for slot in SLOTS:
        if (policy := strategy.policy(slot)) is not None and policy.slot != slot:
            raise StrategyError(
                f"{module.__file__}: {policy.name!r} is a {policy.slot} policy and stands in the slot {slot}."
            )
    text = (module.__doc__ or "").strip()
    about, source = strategy.about or text, strategy.source or _source(text)
    if (
        shelf.strategies.setdefault(
            strategy.name, replace(strategy, about=about, source=source)
        ).about
        != about
    ):
        raise StrategyError(
            f"two strategies are called {strategy.name!r}; the second is in {module.__file__}."
        )


def _source(text: str) -> str:
    """The paragraph of a docstring that says where the idea comes from, without the word itself."""
    found = (" ".join(part.split()) for part in text.split("\n\n"))
    return next(
        (part.removeprefix("Source:").strip() for part in found if part.startswith("Source:")), ""
    )


@cache
def _load(path: Path, content: bytes) -> ModuleType:
    """Run a strategy file under a module name of its own, so that files of the same name do not meet."""
    name = f"simgin_plugin_{hashlib.sha256(bytes(path) + content).hexdigest()[:16]}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise StrategyError(f"{path} cannot be read: {type(error).__name__}: {error}.") from None
    return module


def _file_shelf(path: Path) -> _Shelf:
    try:
        content = path.read_bytes()
    except OSError as error:
        written = path if str(path).isprintable() else _shown(str(path))
        raise StrategyError(
            f"the strategy file {written} cannot be read: {error.strerror}."
        ) from None
    except ValueError as error:
        raise StrategyError(
            f"{_shown(str(path))} is no path of a strategy file: {error}."
        ) from None
    return _collect([_load(path.resolve(), content)])


def _shown(text: str, longest: int = 120) -> str:
    """A text in quotation marks, cut where it is long."""
    return repr(text if len(text) <= longest else text[:longest] + "...")


def _nearest(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name[:60], list(known), 1)
    return f" Did you mean {near[0]!r}?" if near else ""
