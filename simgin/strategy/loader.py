"""Loading of strategies by name, file or entry point."""

import contextlib
import copyreg
import hashlib
import importlib
import importlib.util
import pkgutil
import re
import sys
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.machinery import SourceFileLoader
from importlib.metadata import EntryPoint, distributions
from pathlib import Path
from types import ModuleType

import numpy as np

from simgin.core.answers import SLOTS
from simgin.strategy import text_form
from simgin.strategy.author import Policy, Strategy
from simgin.strategy.reads import is_built_in, reached
from simgin.strategy.text_form import StrategyError, TextForm
from simgin.text.files import encoding_fault, has_ending, read_bytes
from simgin.text.messages import described, did_you_mean, error_text, quoted, sound, tell

LEARNED = "learned"  # folder of the cache for learned weights
# Policies of slots without one
DEFAULTS = {
    "take": "lower",
    "discard": "low",
    "knock": "at",
    "offer": "none",
    "answer": "never",
    "show": "first",
}
_taken: dict[str, Strategy] = {}  # the latest live strategy of each name
_MISSING = re.compile(r"cannot import name '(\w+)' from '([\w.]+)'")


@dataclass(frozen=True)
class _Library:
    """Strategies and policies of a set of modules.

    Attributes:
        strategies: Strategies by name.
        policies: Policies by slot and name.
        rejected: Reasons why plug-ins could not be loaded, by name of the plug-in or package.
    """

    strategies: dict[str, Strategy] = field(default_factory=dict)
    policies: dict[tuple[str, str], Policy] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


def find(strategy: str | Strategy) -> Strategy:
    """Return a strategy with every slot filled and its canonical spec.

    Args:
        strategy: A spec string or a Strategy. The functions of an object are copied as they are
            now, and its name refers to them afterwards.

    Raises:
        StrategyError: If the strategy cannot be found or loaded.
    """
    if not isinstance(strategy, Strategy):
        return _find(str(strategy))
    for text in (strategy.text, strategy.name):
        with contextlib.suppress(StrategyError):
            found = _restored(text, _contents(strategy))
            if are_alike(found, _fill(strategy)):
                return found
    if strategy.name in _library().strategies:
        raise StrategyError(
            f"another strategy is called {quoted(strategy.name)}; give yours a name of its own."
        )
    from simgin.strategy import live  # loads the compiler

    return _restored(strategy.name, [live.written(strategy)])


def are_alike(one: Strategy, other: Strategy) -> bool:
    """Return True if two strategies have equal policies and the same order of ending."""
    return (one.policies, one.ending) == (other.policies, other.ending)


def _contents(strategy: Strategy) -> list[bytes]:
    """Return the pickles of the policies that were copied from live functions."""
    return sorted({policy.live for policy in strategy.policies} - {b""})


def _restored(text: str, contents: list[bytes]) -> Strategy:
    """Return the strategy of a spec that can name live strategies, given their pickles."""
    for content in contents:
        from simgin.strategy import live

        _taken[live.read(content).name] = live.read(content)
    return _find(text)


def _reduced(strategy: Strategy) -> tuple[Callable[..., Strategy], tuple[str, list[bytes]]]:
    """Return the pickle form of a strategy, a spec: compiled functions cannot be pickled."""
    found = find(strategy)
    return _restored, (found.text, _contents(found))


copyreg.pickle(Strategy, _reduced)


def _find(text: str) -> Strategy:
    """Return the strategy of a spec."""
    form = text_form.parse(text)
    strategy = text_form.set_values(_strategy(form.strategy.name), form.strategy.values, text)
    for slot, reference in form.policies.items():
        policy = _policy(slot, reference.name)
        changed = text_form.set_policy_values(policy, reference.values, reference.text)
        strategy = text_form.exchange(strategy, {slot: changed})
    if form.has_weights:
        _check_weighed(strategy, text)
        file = _weights_file(form)
        _check_weights(strategy, file)
        strategy = with_weights(strategy, file)
    elif form.file:
        strategy = _with_values(strategy, text_form.read_values(Path(form.file)), text)
    return text_form.exchange(strategy, {}, _canonical_text(form, strategy))


def _weights_file(form: TextForm) -> Path:
    """Return the weights file of a spec, which names a learned player or a path.

    Raises:
        StrategyError: If the file of a learned player is missing or does not match the digest in
            its name.
    """
    if not form.is_learned:
        return Path(form.file)
    from simgin.core import jit  # loads the compiler, which few strategies need here

    file = jit.cache_root() / jit.digest() / LEARNED / form.file
    train = f"Run `simgin train {form.strategy.name}` again for these rules"
    if not file.is_file():
        raise StrategyError(
            f"there is no learned player {quoted(form.file)}. {train}, or write "
            f"{form.strategy.name}@./{form.file} for a file in this folder."
        )
    if learned_name(file.stem.rpartition("-")[0], read_bytes(file)) != file.name:
        raise StrategyError(
            f"{file} has other weights than simgin learned. {train}, which writes them again."
        )
    return file


def learned_name(about: str, content: bytes) -> str:
    """Return the file name of learned weights, which ends in their digest."""
    return f"{about}-{hashlib.sha256(content).hexdigest()[:16]}.npy"


def with_weights(strategy: Strategy, weights: Path | np.ndarray) -> Strategy:
    """Return a strategy with other weights for its discard policy.

    Policies of other slots that read the same file get them too.

    Args:
        strategy: A strategy whose discard policy reads a weights file.
        weights: Another file or an array.
    """
    changed = {policy.slot: replace(policy, weights=weights) for policy in _weighed_alike(strategy)}
    return text_form.exchange(strategy, changed, strategy.text)


def _weighed_alike(strategy: Strategy) -> list[Policy]:
    """Return the policies that read the weights file of the discard policy, if it has one."""
    own = strategy.discard.weights if strategy.discard else None
    if not isinstance(own, Path):
        return []
    policies = [policy for policy in strategy.policies if isinstance(policy.weights, Path)]
    return [policy for policy in policies if policy.weights == own]


def _check_weighed(strategy: Strategy, text: str) -> None:
    """Raise StrategyError if the discard policy of a strategy reads no weights file."""
    if not _weighed_alike(strategy):
        raise StrategyError(
            f"{quoted(text)}: the discards of {strategy.name} have no weights; @./FILE.npy stands "
            "behind a strategy that reads some, such as champion."
        )


def _check_weights(strategy: Strategy, file: Path) -> None:
    """Raise StrategyError unless a file contains as many weights as the strategy's own."""
    if not file.exists():
        raise StrategyError(
            f"there is no file {file}; name one that `simgin train {strategy.name}` wrote."
        )
    from simgin.strategy import compiler  # loads slowly, and few strategies have a file

    own = _weighed_alike(strategy)[0]
    needed = compiler.vector(own).size - len(own.params)
    found = compiler.vector(replace(own, weights=file)).size - len(own.params)
    if found != needed:
        raise StrategyError(
            f"{file} holds {found:,} weights where {strategy.name} has {needed:,}; name a file "
            f"that `simgin train {strategy.name}` wrote."
        )


def set_slots(strategy: Strategy, values: Mapping[str, Mapping[str, str]]) -> Strategy:
    """Return a strategy with other parameter values and the matching canonical spec.

    Args:
        strategy: A strategy that `find_strategy` returned.
        values: Values by slot and parameter.
    """
    changed = _with_values(strategy, values, strategy.text)
    return text_form.exchange(changed, {}, _canonical_text(text_form.parse(strategy.text), changed))


def _with_values(
    strategy: Strategy, values: Mapping[str, Mapping[str, str]], text: str
) -> Strategy:
    """Return a strategy with other values by slot and parameter."""
    changed = {
        slot: text_form.set_policy_values(_policy_of(strategy, slot, text), of_slot, text)
        for slot, of_slot in values.items()
    }
    return text_form.exchange(strategy, changed)


def names() -> tuple[str, ...]:
    """Return the names of all strategies that need no path: built-in and plug-in strategies."""
    return tuple(sorted(_library().strategies))


def built_in() -> tuple[str, ...]:
    """Return the names of the built-in strategies."""
    return tuple(sorted(_collect(_built_in_modules()).strategies))


def policies() -> list[Policy]:
    """Return all named policies by slot and name."""
    every = _library().policies.values()
    return sorted(every, key=lambda policy: (SLOTS.index(policy.slot), policy.name))


def source_files(strategy: Strategy) -> list[Path]:
    """Return the files of a strategy: its policies, their helpers and their weights.

    Live functions have no source file.
    """
    files = set()
    for policy in strategy.policies:
        if is_built_in(policy.function) or not policy.live:
            files |= {Path(one.__code__.co_filename) for one in reached(policy.function)}
        if isinstance(policy.weights, Path) and not policy.is_untrained:
            files.add(policy.weights)
    return sorted(files)


def source_digest(strategy: Strategy) -> str:
    """Return a digest of a strategy's files, regardless of its parameter values.

    Raises:
        StrategyError: If a file cannot be read.
    """
    digest = hashlib.sha256(b"".join(_contents(strategy)))
    for path in source_files(strategy):
        try:
            content = read_bytes(path)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error_text(error)
            raise StrategyError(
                f"{path}, a file of {quoted(strategy.name)}, cannot be read: {reason}."
            ) from None
        digest.update(path.name.encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def parameter_values(strategy: Strategy) -> dict[str, dict[str, float]]:
    """Return the values of all parameters by slot and name."""
    return {
        policy.slot: {name: param.default for name, param in policy.params.items()}
        for policy in strategy.policies
    }


def policy_texts(strategy: Strategy) -> list[tuple[str, str]]:
    """Return (slot, spec of the policy with all values) for every slot."""
    return [
        (policy.slot, policy.name + text_form.values_text(text_form.changed_values(policy, None)))
        for policy in strategy.policies
    ]


# The canonical spec


def _canonical_text(form: TextForm, strategy: Strategy) -> str:
    """Return the canonical spec of a strategy, without values that equal the defaults.

    Args:
        form: The parsed spec; policies that it names stay named. Another policy is also named if
            the strategy cannot receive its values, because another policy has a different value
            under the same name.
        strategy: The strategy.
    """
    name = form.strategy.name
    base = _strategy(name)
    if form.has_weights:
        base = with_weights(base, _weights_file(form))
    own = {policy.slot: policy for policy in strategy.policies if policy.slot not in form.policies}
    values: dict[str, str] = {}  # values that several policies share appear once
    for slot, policy in list(own.items()):
        changed = text_form.changed_values(policy, base.policy(slot))
        # The strategy can receive the values if all policies declare these parameters equally
        params = policy.params
        if all(
            other.params.get(name, params[name]) == params[name]
            for name in changed
            for other in own.values()
        ):
            values |= changed
        else:
            del own[slot]
    text = name + text_form.values_text(values)
    for policy in strategy.policies:
        known = base.policy(policy.slot)
        if known is not None:
            known = known(**{name: values[name] for name in values.keys() & known.params.keys()})
        if policy.slot not in own and policy != known:
            text += f"+{policy.slot}={_reference_text(policy)}"
    return f"{text}@{form.file}" if form.has_weights else text


def _reference_text(policy: Policy) -> str:
    """Return the spec of a policy, with the path of its file if its name does not identify it."""
    named = dict(_library().policies)
    named |= {(own.slot, name): own for name, one in _taken.items() for own in one.policies}
    for (slot, name), known in named.items():
        if slot == policy.slot and known.function is policy.function:
            return name + text_form.values_text(text_form.changed_values(policy, known))
    declared = _file_library(policy.source).policies.get((policy.slot, policy.name))
    values = text_form.changed_values(policy, declared)
    return f"{policy.source}#{policy.name}" + text_form.values_text(values)


# Finding strategies and policies


def _strategy(name: str) -> Strategy:
    """Return a strategy by name or path, with its empty slots filled."""
    path, _, inner = name.partition("#")
    if has_ending(path, ".py"):
        strategies = _file_library(Path(path)).strategies
        return _fill(_strategy_of_file(strategies, inner, path))
    strategies = {**_taken, **_library().strategies}
    if name not in strategies:
        _check_not_refused(name)
        near = did_you_mean(name, strategies)
        raise StrategyError(
            f"there is no strategy {quoted(name)}{near} `simgin strategies` lists them all."
        )
    return _fill(strategies[name])


def _strategy_of_file(strategies: Mapping[str, Strategy], inner: str, path: str) -> Strategy:
    """Return a strategy of a file by name; without a name, its only one."""
    if inner in strategies:
        return strategies[inner]
    if inner:
        known = ", ".join(strategies) or "none"
        raise StrategyError(f"{path} has no strategy {quoted(inner)}; it has {known}.")
    if not strategies:
        raise StrategyError(
            f"{path} has no strategy; it needs a line like "
            'STRATEGY = Strategy("name", discard=...).'
        )
    if len(strategies) > 1:
        known = ", ".join(f"{path}#{name}" for name in strategies)
        raise StrategyError(f"{path} has several strategies; name one of them: {known}.")
    return next(iter(strategies.values()))


def _policy(slot: str, name: str) -> Policy:
    """Return a policy by its own name, or the policy of a named strategy."""
    path, _, inner = name.partition("#")
    if has_ending(path, ".py"):
        return _policy_of_file(slot, path, inner)
    library = _library()
    if (slot, name) in library.policies:
        return library.policies[slot, name]
    if name not in {**_taken, **library.strategies}:
        _check_not_refused(name)
        known = [policy for filled, policy in library.policies if filled == slot]
        near = did_you_mean(name, [*known, *library.strategies])
        raise StrategyError(f"there is no {slot} policy and no strategy {quoted(name)}{near}")
    return _policy_of(_strategy(name), slot, name)


def _policy_of_file(slot: str, path: str, inner: str) -> Policy:
    """Return a policy of a file by name; without a name, its only one for the slot."""
    policies = _file_library(Path(path)).policies
    if (slot, inner) in policies:
        return policies[slot, inner]
    in_slot = [policy for policy in policies.values() if policy.slot == slot]
    if not inner and len(in_slot) == 1:
        return in_slot[0]
    name = f"{path}#{inner}" if inner else path
    return _policy_of(_strategy(name), slot, name)


def _policy_of(strategy: Strategy, slot: str, name: str) -> Policy:
    """Return a strategy's policy of a slot; raise StrategyError if it has none."""
    policy = strategy.policy(slot)
    if policy is None:
        raise StrategyError(f"{quoted(name)} has no {slot} policy.")
    return policy


def _fill(strategy: Strategy) -> Strategy:
    """Return a strategy with default policies in its empty slots."""
    missing = {
        slot: _library().policies[slot, name]
        for slot, name in DEFAULTS.items()
        if strategy.policy(slot) is None
    }
    return text_form.exchange(strategy, missing)


# Loading modules


@cache
def _library() -> _Library:
    """Load all strategies and policies that have a name: built-in ones, then plug-ins.

    A plug-in that cannot be loaded is skipped with a warning, so that it does not affect users who
    do not need it.
    """
    library = _collect(_built_in_modules())
    for point in plug_ins():
        try:
            plug_in = read_plug_in(point, library.strategies)
        except StrategyError as error:
            library.refused[_package(point)] = library.refused[point.name] = str(error)
            tell(f"{error} It is left out.")
            continue
        library.strategies.update(plug_in.strategies)
        library.policies.update(plug_in.policies)
    return library


def _check_not_refused(name: str) -> None:
    """Raise StrategyError if a name belongs to a plug-in that could not be loaded."""
    refused = _library().refused
    for plug_in in (name, name.partition(".")[0]):
        if plug_in in refused:
            raise StrategyError(refused[plug_in])


def _built_in_modules() -> list[ModuleType]:
    """Import the modules of the built-in strategies."""
    import simgin_strategies

    found = pkgutil.iter_modules(simgin_strategies.__path__, "simgin_strategies.")
    return [importlib.import_module(one.name) for one in found if "._" not in one.name]


def plug_ins() -> list[EntryPoint]:
    """Return the entry points of installed packages that provide strategies."""
    found: list[EntryPoint] = []
    for package in distributions():
        try:
            found += package.entry_points.select(group="simgin.strategies")
        except Exception as error:  # its metadata can be corrupt
            path = getattr(package, "_path", "a package")
            tell(f"{path} says nothing of its plug-ins ({described(error)}). It is left out.")
    return list(dict.fromkeys(found))


def read_plug_in(point: EntryPoint, known: Collection[str]) -> _Library:
    """Load the strategies and policies of an entry point.

    Its policies are renamed to `package.policy` to avoid conflicts.

    Args:
        point: The entry point.
        known: Names of strategies that are already in use.

    Raises:
        StrategyError: If the plug-in cannot be loaded, or a strategy has a known name.
    """
    package = _package(point)
    try:
        loaded = point.load()
        module = loaded if isinstance(loaded, ModuleType) else sys.modules[loaded.__module__]
        own = _collect([module])
        for name in sorted(set(own.strategies) & set(known)):
            raise StrategyError(f"another strategy is called {name!r}.")
    except KeyboardInterrupt:
        raise
    except BaseException as raised:
        error = sound(raised)
        reason = str(error) if isinstance(error, StrategyError) else f"{described(error)}."
        raise StrategyError(
            f"the plug-in {point.name!r} of the package {package} cannot be loaded: {reason} "
            "Update that package, or remove it with pip uninstall."
        ) from None
    policies = {}
    for (slot, name), policy in own.policies.items():
        full_name = f"{package}.{name}"
        policies[slot, full_name] = replace(policy, name=full_name)
    return replace(own, policies=policies)


def _package(point: EntryPoint) -> str:
    """Return the name of the package that provides an entry point."""
    with contextlib.suppress(Exception):  # its metadata can be corrupt
        return (point.dist and point.dist.name) or point.name
    return point.name


def _collect(modules: Iterable[ModuleType]) -> _Library:
    """Return the strategies and policies that modules define.

    Raises:
        StrategyError: If two of them have the same name.
    """
    library = _Library()
    for module in modules:
        for value in vars(module).values():
            if isinstance(value, Strategy):
                text = (module.__doc__ or "").strip()
                source = value.source or _source_paragraph(text)
                value = replace(value, about=value.about or text, source=source)
                known: object = library.strategies.setdefault(value.name, value)
                kind = "strategies"
            # Excludes policies that a module imports from another
            elif isinstance(value, Policy) and value.function.__module__ == module.__name__:
                if not value.name:
                    continue
                known = library.policies.setdefault((value.slot, value.name), value)
                kind = f"{value.slot} policies"
            else:
                continue
            if known != value:
                raise StrategyError(
                    f"two {kind} are called {quoted(value.name)}; the second is in "
                    f"{module.__file__}."
                )
    return library


def _source_paragraph(text: str) -> str:
    """Return the paragraph `Source: ...` of a docstring, without that word."""
    for paragraph in text.split("\n\n"):
        line = " ".join(paragraph.split())
        if line.startswith("Source:"):
            return line.removeprefix("Source:").strip()
    return ""


def _file_library(path: Path) -> _Library:
    """Return the strategies and policies of a file."""
    shown = str(path)
    if not shown.isprintable():
        shown = quoted(shown)
    try:
        content = read_bytes(path)
    except OSError as error:
        raise StrategyError(
            f"the strategy file {shown} cannot be read: {error.strerror}."
        ) from None
    except ValueError as error:
        raise StrategyError(f"{shown} is not the path of a strategy file: {error}.") from None
    if b"\0" in content:
        raise StrategyError(f"{shown} is not UTF-8 text: save it as UTF-8.")
    real_path = path.resolve()
    if fault := encoding_fault(str(real_path)):  # numba could not compile it
        raise StrategyError(f"the path {fault}.")
    with _refusals(real_path):
        return _collect([_load_file(real_path, content)])


@cache
def _load_file(path: Path, content: bytes) -> ModuleType:
    """Import a strategy file as a module with a unique name."""
    digest = hashlib.sha256(bytes(path) + content).hexdigest()
    name = f"simgin_plugin_{digest[:16]}"
    reader = SourceFileLoader(name, str(path))  # accepts any suffix
    spec = importlib.util.spec_from_file_location(name, path, loader=reader)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    module.__file__ = str(path)  # the file could have changed it, and messages use it
    return module


@contextlib.contextmanager
def _refusals(path: Path) -> Iterator[None]:
    """Convert any exception of a strategy file, including SystemExit, to StrategyError."""
    try:
        yield
    except (StrategyError, KeyboardInterrupt):
        raise
    except BaseException as raised:
        error = sound(raised)
        stack = traceback.walk_tb(error.__traceback__)  # does not read source files
        lines = [line for frame, line in stack if frame.f_code.co_filename == str(path)]
        place = f" (line {lines[-1]})" if lines else ""  # a SyntaxError names the line itself
        raise StrategyError(f"{path} cannot be read{place}: {_reason(error)}") from None


def _reason(error: BaseException) -> str:
    """Return the message of an import error, with a suggestion for a missing name."""
    missing = _MISSING.match(error_text(error))
    if isinstance(error, ImportError) and missing and missing[2] in sys.modules:
        near = did_you_mean(missing[1], vars(sys.modules[missing[2]]))
        return f"{missing[2]} has no {missing[1]}{near}"
    return f"{described(error)}."
