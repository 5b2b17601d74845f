"""Loading of strategies by name, from files and from entry points."""

import contextlib
import copyreg
import hashlib
import importlib
import importlib.util
import re
import sys
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib.machinery import SourceFileLoader
from importlib.metadata import EntryPoint, distributions
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from simgin.core.codes import SLOTS
from simgin.rules.variants import variant_names
from simgin.strategy import strategy_spec
from simgin.strategy.author import Policy, Strategy, name_policy_type
from simgin.strategy.dependencies import collect_functions, is_built_in
from simgin.strategy.strategy_spec import StrategyError, StrategySpec
from simgin.text.files import describe_encoding_error, has_suffix, read_bytes
from simgin.text.messages import (
    describe_error,
    ensure_printable_error,
    format_error_message,
    print_status,
    quote_text,
    suggest_spelling,
)

TRAINED_WEIGHTS_FOLDER = "learned"  # folder for learned weights in the cache
# Default policies
DEFAULT_POLICIES = {
    "take": "lower",
    "discard": "low",
    "knock": "at",
    "offer": "none",
    "answer": "never",
    "show": "first",
}
_restored_strategies: dict[str, Strategy] = {}  # latest strategy with each name in this process
_MISSING_NAME_PATTERN = re.compile(r"cannot import name '(\w+)' from '([\w.]+)'")


@dataclass(frozen=True)
class _Library:
    """Strategies and policies that a group of modules defines.

    Attributes:
        strategies: Strategies by name.
        policies: Policies by slot and name.
        rejection_reasons: Reasons why plug-ins could not be loaded, keyed by the name of the
            plug-in and by the name of its package.
    """

    strategies: dict[str, Strategy] = field(default_factory=dict)
    policies: dict[tuple[str, str], Policy] = field(default_factory=dict)
    rejection_reasons: dict[str, str] = field(default_factory=dict)


def find_strategy(strategy: str | Strategy) -> Strategy:
    """Return the strategy for a spec, with every slot filled and with its canonical spec.

    Args:
        strategy: Spec string or Strategy. The functions of a Strategy are copied in their current
            state. Afterwards, the name of the strategy refers to the copy.

    Raises:
        StrategyError: If the strategy cannot be found or loaded.
    """
    if not isinstance(strategy, Strategy):
        return _find_strategy_by_spec(str(strategy))
    for spec in (strategy.spec, strategy.name):
        with contextlib.suppress(StrategyError):
            restored_strategy = _restore_strategy(spec, _collect_policy_pickles(strategy))
            if is_same_strategy(restored_strategy, _fill_slots(strategy)):
                return restored_strategy
    if strategy.name in _load_library().strategies:
        raise StrategyError(
            f"{quote_text(strategy.name)} is the name of another strategy. Choose a different name."
        )
    from simgin.strategy import by_value  # This import loads the compiler.

    return _restore_strategy(strategy.name, [by_value.pickle_strategy(strategy)])


def is_same_strategy(a: Strategy, b: Strategy) -> bool:
    """Return True if two strategies have the same policies and call them in the same order."""
    return (a.policies, a.ending) == (b.policies, b.ending)


def _collect_policy_pickles(strategy: Strategy) -> list[bytes]:
    """Return the pickles of the policies that were defined in the running program."""
    return sorted({policy.pickle_bytes for policy in strategy.policies} - {b""})


def _restore_strategy(spec: str, pickles: list[bytes]) -> Strategy:
    """Rebuild a strategy from its spec and from the pickled functions of a running program."""
    for content in pickles:
        from simgin.strategy import by_value

        strategy = by_value.unpickle_strategy(content)
        _restored_strategies[strategy.name] = strategy
    return _find_strategy_by_spec(spec)


def _reduce_strategy(strategy: Strategy) -> tuple[Callable[..., Strategy], tuple[str, list[bytes]]]:
    """Return the function and the arguments with which pickle can restore a strategy.

    A strategy is pickled as its spec, because compiled functions cannot be pickled.
    """
    filled_strategy = find_strategy(strategy)
    return _restore_strategy, (filled_strategy.spec, _collect_policy_pickles(filled_strategy))


copyreg.pickle(Strategy, _reduce_strategy)


def _find_strategy_by_spec(spec: str) -> Strategy:
    """Return the strategy that a spec describes, with its canonical spec."""
    parsed_spec = strategy_spec.parse_spec(spec)
    strategy = _find_strategy_by_name(parsed_spec.strategy.name)
    strategy = strategy_spec.set_parameter_values(strategy, parsed_spec.strategy.values, spec)
    for slot, reference in parsed_spec.policies.items():
        policy = _find_policy(slot, reference.name)
        changed_policy = strategy_spec.set_policy_values(policy, reference.values, reference.text)
        strategy = strategy_spec.with_policies(strategy, {slot: changed_policy})
    if parsed_spec.has_weights:
        _check_has_weights(strategy, spec)
        file = _find_weights_file(parsed_spec)
        _check_weights_size(strategy, file)
        strategy = with_weights(strategy, file)
    elif parsed_spec.file:
        file_values = strategy_spec.read_values_file(Path(parsed_spec.file))
        strategy_spec.check_values_given_once(parsed_spec, file_values)
        strategy = _replace_slot_values(strategy, file_values, spec)
    return strategy_spec.with_policies(strategy, {}, _format_spec(parsed_spec, strategy))


def _find_weights_file(spec: StrategySpec) -> Path:
    """Return the path of the weights file in a spec.

    The spec contains a path or the name of a trained player.

    Raises:
        StrategyError: If the file of a trained player is missing or does not match the digest in
            its name.
    """
    if not spec.is_trained_player:
        return Path(spec.file)
    # Import the module here, because it loads the compiler, which is rarely needed.
    from simgin.core import jit

    file = jit.get_cache_root() / jit.compute_source_digest() / TRAINED_WEIGHTS_FOLDER / spec.file
    train_command = f"Run `simgin train {spec.strategy.name}` for these rules"
    if not file.is_file():
        raise StrategyError(
            f"the trained player {quote_text(spec.file)} was not found. {train_command}. For a "
            f"file in the current folder, write {spec.strategy.name}@./{spec.file}."
        )
    if format_weights_file_name(file.stem.rpartition("-")[0], read_bytes(file)) != file.name:
        raise StrategyError(f"{file} was changed after training. {train_command} to replace it.")
    return file


def format_weights_file_name(prefix: str, content: bytes) -> str:
    """Return the file name for trained weights, which ends with a digest of their values."""
    return f"{prefix}-{hashlib.sha256(content).hexdigest()[:16]}.npy"


def with_weights(strategy: Strategy, weights: Path | np.ndarray) -> Strategy:
    """Return a copy of a strategy whose discard policy uses the given weights.

    Policies of other slots that read the same file also use the new weights. The new weights do not
    depend on the rules.

    Args:
        strategy: Strategy with a discard policy that reads a weights file.
        weights: New file or array of weights.
    """
    changed_policies = {
        policy.slot: replace(policy, weights=weights, rules_weights=None, for_rules=None)
        for policy in _find_policies_sharing_weights(strategy)
    }
    return strategy_spec.with_policies(strategy, changed_policies, strategy.spec)


def _find_policies_sharing_weights(strategy: Strategy) -> list[Policy]:
    """Return the policies that read the same weights file as the discard policy.

    If the discard policy has no weights file, the result is empty.
    """
    weights = strategy.discard.weights if strategy.discard else None
    if not isinstance(weights, Path):
        return []
    policies = [policy for policy in strategy.policies if isinstance(policy.weights, Path)]
    return [policy for policy in policies if policy.weights == weights]


def _check_has_weights(strategy: Strategy, spec: str) -> None:
    """Raise StrategyError if the discard policy of a strategy has no weights file."""
    if not _find_policies_sharing_weights(strategy):
        raise StrategyError(
            f"{quote_text(spec)}: the discard policy of {strategy.name} has no weights. Use "
            "@./FILE.npy with a strategy that has weights, such as champion."
        )


def _check_weights_size(strategy: Strategy, file: Path) -> None:
    """Raise StrategyError unless a file contains as many weights as a strategy needs."""
    if not file.exists():
        raise StrategyError(
            f"{file} was not found. Specify a file written by `simgin train {strategy.name}`."
        )
    # Import the module here, because it loads slowly and few specs have a weights file.
    from simgin.strategy import compiler

    policy = _find_policies_sharing_weights(strategy)[0]
    n_needed, n_weights = (
        compiler.make_parameter_vector(sized_policy).size - len(sized_policy.params)
        for sized_policy in (policy, replace(policy, weights=file))
    )
    if n_weights != n_needed:
        raise StrategyError(
            f"{file} contains {n_weights:,} weights, but {strategy.name} needs {n_needed:,}. "
            f"Specify a file written by `simgin train {strategy.name}`."
        )


def set_values_by_slot(strategy: Strategy, values: Mapping[str, Mapping[str, str]]) -> Strategy:
    """Return a copy of a strategy with new parameter values and a new canonical spec.

    Args:
        strategy: Strategy, as returned by `find_strategy`.
        values: New values by slot and parameter.
    """
    changed_strategy = _replace_slot_values(strategy, values, strategy.spec)
    spec = _format_spec(strategy_spec.parse_spec(strategy.spec), changed_strategy)
    return strategy_spec.with_policies(changed_strategy, {}, spec)


def _replace_slot_values(
    strategy: Strategy, values: Mapping[str, Mapping[str, str]], spec: str
) -> Strategy:
    """Return a copy of a strategy with new parameter values, given by slot."""
    policies = {}
    for slot, slot_values in values.items():
        policy = _require_policy(strategy, slot, spec)
        policies[slot] = strategy_spec.set_policy_values(policy, slot_values, spec)
    return strategy_spec.with_policies(strategy, policies)


def list_strategies() -> tuple[str, ...]:
    """Return the names of built-in strategies, plug-in strategies and named player types."""
    return tuple(sorted({*_load_library().strategies, *_list_named_player_types()}))


def list_built_in_strategies() -> tuple[str, ...]:
    """Return the names of the built-in strategies."""
    return tuple(sorted(_load_built_in_strategies().strategies))


def is_built_in_name(name: str) -> bool:
    """Return True if a name refers to a built-in strategy or to a player type."""
    strategies = _load_modules_defining(name).strategies
    return name in strategies or name in _list_named_player_types()


def list_policies() -> list[Policy]:
    """Return all named policies, sorted by slot and name."""
    policies_by_slot = _load_library().policies.values()
    return sorted(policies_by_slot, key=lambda policy: (SLOTS.index(policy.slot), policy.name))


def find_source_files(strategy: Strategy) -> list[Path]:
    """Return the source files and weights files of a strategy's policies and helpers.

    Functions that were defined in a running program do not have a file.
    """
    files = set()
    for policy in strategy.policies:
        if is_built_in(policy.function) or not policy.pickle_bytes:
            functions = collect_functions(policy.function)
            if policy.for_rules is not None:
                functions += collect_functions(policy.for_rules)
            files |= {Path(function.__code__.co_filename) for function in functions}
        if policy.rules_weights is not None:
            files.add(policy.rules_weights)
        if isinstance(policy.weights, Path) and not policy.is_untrained:
            files.add(policy.weights)
    return sorted(files)


def compute_strategy_digest(strategy: Strategy) -> str:
    """Return a digest of the files that define a strategy.

    The digest does not depend on parameter values.

    Raises:
        StrategyError: If a file cannot be read.
    """
    digest = hashlib.sha256(b"".join(_collect_policy_pickles(strategy)))
    for path in find_source_files(strategy):
        try:
            content = read_bytes(path)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or format_error_message(error)
            raise StrategyError(
                f"the file {path} of {quote_text(strategy.name)} cannot be read ({reason})."
            ) from None
        digest.update(path.name.encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def collect_parameter_values(strategy: Strategy) -> dict[str, dict[str, float]]:
    """Return the values of all parameters of a strategy, by slot and parameter name."""
    return {
        policy.slot: {name: param.default for name, param in policy.params.items()}
        for policy in strategy.policies
    }


def format_policies(strategy: Strategy) -> list[tuple[str, str]]:
    """Return the spec of the policy in each slot, including all parameter values."""
    return [
        (policy.slot, policy.name + strategy_spec.format_policy_values(policy, None))
        for policy in strategy.policies
    ]


# Canonical spec


def _format_spec(spec: StrategySpec, strategy: Strategy) -> str:
    """Return the canonical spec of a strategy, omitting values that equal the defaults.

    Args:
        spec: Parsed spec. The result names the policies of this spec. It also names each policy
            with a changed parameter that another policy declares differently.
        strategy: Strategy to describe.
    """
    name = spec.strategy.name
    base_strategy = _find_strategy_by_name(name)
    if spec.has_weights:
        base_strategy = with_weights(base_strategy, _find_weights_file(spec))
    policies = {
        policy.slot: policy for policy in strategy.policies if policy.slot not in spec.policies
    }
    shared_values: dict[str, str] = {}  # A value that several policies share appears only once.
    for slot, policy in list(policies.items()):
        changed_values = strategy_spec.format_changed_values(policy, base_strategy.policy(slot))
        # A value can be given for the whole strategy if all policies declare the parameter
        # identically.
        params = policy.params
        if all(
            used_policy.params.get(name, params[name]) == params[name]
            for name in changed_values
            for used_policy in policies.values()
        ):
            shared_values |= changed_values
        else:
            del policies[slot]
    canonical_spec = name + strategy_spec.format_parameter_values(shared_values)
    for policy in strategy.policies:
        default_policy = base_strategy.policy(policy.slot)
        if default_policy is not None:
            shared_names = shared_values.keys() & default_policy.params.keys()
            default_policy = default_policy(**{name: shared_values[name] for name in shared_names})
        if policy.slot not in policies and policy != default_policy:
            canonical_spec += f"+{policy.slot}={_format_policy_spec(policy)}"
    return f"{canonical_spec}@{spec.file}" if spec.has_weights else canonical_spec


def _format_policy_spec(policy: Policy) -> str:
    """Return the spec of a policy, omitting values that equal the defaults.

    If the name is ambiguous, the spec contains the path of the file.
    """
    known_policies = dict(_load_library().policies)
    known_policies |= {
        (live_policy.slot, name): live_policy
        for name, strategy in _restored_strategies.items()
        for live_policy in strategy.policies
    }
    for (slot, name), known_policy in known_policies.items():
        if slot == policy.slot and known_policy.function is policy.function:
            return name + strategy_spec.format_policy_values(policy, known_policy)
    policies = _load_file_library(policy.source_file).policies
    values = strategy_spec.format_policy_values(policy, policies.get((policy.slot, policy.name)))
    return f"{policy.source_file}#{policy.name}{values}"


# Lookup of strategies and policies


def _find_strategy_by_name(name: str) -> Strategy:
    """Return the strategy with the given name or path, with its empty slots filled."""
    path, _, inner_name = name.partition("#")
    if has_suffix(path, ".py"):
        strategies = _load_file_library(Path(path)).strategies
        return _fill_slots(_select_strategy(strategies, inner_name, path))
    if strategy := _load_modules_defining(name).strategies.get(name):
        return _fill_slots(strategy)
    strategies = {**_restored_strategies, **_load_library().strategies}
    if name not in strategies:
        if name in _list_named_player_types():
            return _find_player_type(name)
        _check_not_rejected(name)
        if name in variant_names():
            raise StrategyError(
                f"{quote_text(name)} is a variant, not a strategy. To list the strategies for this "
                f"variant, run `simgin strategies -v {name}`."
            )
        if Path(path).is_file():
            raise StrategyError(
                f"{quote_text(path)} is not a strategy file, because its name does not end in .py."
            )
        hint = suggest_spelling(name, [*strategies, *_list_named_player_types()])
        raise StrategyError(
            f"{quote_text(name)} is not a known strategy{hint} To list all strategies, run `simgin "
            "strategies`."
        )
    return _fill_slots(strategies[name])


def _list_named_player_types() -> Mapping[str, Mapping[str, Any]]:
    """Return the player types that can be used like strategies, by name."""
    from simgin.strategy import cast  # The module `cast` imports this module.

    return cast.NAMED_PLAYER_TYPES


def _find_player_type(name: str) -> Strategy:
    """Return the strategy that represents a player type, under the name of the player type."""
    player_type = _list_named_player_types()[name]
    strategy = _find_strategy_by_spec(player_type["strategy"])
    return replace(strategy, name=name, about=f"{name}: {player_type['about']}", source="")


def _select_strategy(strategies: Mapping[str, Strategy], inner_name: str, path: str) -> Strategy:
    """Return the strategy with the given name in a file, or the only strategy in the file."""
    if inner_name in strategies:
        return strategies[inner_name]
    if inner_name:
        names = ", ".join(strategies) or "none"
        raise StrategyError(
            f"{path} has no strategy {quote_text(inner_name)}. Strategies in the file: {names}."
        )
    if not strategies:
        raise StrategyError(
            f"{path} defines no strategy. Add a line such as "
            'STRATEGY = Strategy("name", discard=...).'
        )
    if len(strategies) > 1:
        names = ", ".join(f"{path}#{name}" for name in strategies)
        raise StrategyError(f"{path} contains several strategies. Choose one of them: {names}.")
    return next(iter(strategies.values()))


def _find_policy(slot: str, name: str) -> Policy:
    """Return the policy with the given name, or the policy of the strategy with this name."""
    path, _, inner_name = name.partition("#")
    if has_suffix(path, ".py"):
        return _find_policy_in_file(slot, path, inner_name)
    library = _load_library()
    if (slot, name) in library.policies:
        return library.policies[slot, name]
    if name not in {**_restored_strategies, **library.strategies}:
        _check_not_rejected(name)
        candidates = [policy for policy_slot, policy in library.policies if policy_slot == slot]
        suggestion = suggest_spelling(name, [*candidates, *library.strategies])
        raise StrategyError(
            f"{quote_text(name)} is neither {name_policy_type(slot)} nor a strategy{suggestion}"
        )
    return _require_policy(_find_strategy_by_name(name), slot, name)


def _find_policy_in_file(slot: str, path: str, inner_name: str) -> Policy:
    """Return the policy with the given name in a file, or the file's only policy for the slot."""
    policies = _load_file_library(Path(path)).policies
    if (slot, inner_name) in policies:
        return policies[slot, inner_name]
    slot_policies = [policy for policy in policies.values() if policy.slot == slot]
    if not inner_name and len(slot_policies) == 1:
        return slot_policies[0]
    name = f"{path}#{inner_name}" if inner_name else path
    return _require_policy(_find_strategy_by_name(name), slot, name)


def _require_policy(strategy: Strategy, slot: str, name: str) -> Policy:
    """Return the policy that a strategy uses in a slot, or raise StrategyError if there is none."""
    policy = strategy.policy(slot)
    if policy is None:
        raise StrategyError(f"{quote_text(name)} has no {slot} policy. Choose another strategy.")
    return policy


def _fill_slots(strategy: Strategy) -> Strategy:
    """Return a copy of a strategy with default policies in its empty slots."""
    defaults = {
        slot: _load_modules_defining(name).policies[slot, name]
        for slot, name in DEFAULT_POLICIES.items()
        if strategy.policy(slot) is None
    }
    return strategy_spec.with_policies(strategy, defaults)


# Import of modules


@cache
def _load_library() -> _Library:
    """Load all strategies and policies, first the built-in ones and then those of plug-ins.

    If a plug-in cannot be loaded, it is skipped with a warning, so that other strategies remain
    available.
    """
    library = _load_built_in_strategies()
    for entry_point in find_plug_ins():
        try:
            plug_in = load_plug_in(entry_point, library.strategies)
        except StrategyError as error:
            names = (_get_package_name(entry_point), entry_point.name)
            library.rejection_reasons.update(dict.fromkeys(names, str(error)))
            print_status(f"warning: {error} The plug-in is skipped.")
            continue
        library.strategies.update(plug_in.strategies)
        library.policies.update(plug_in.policies)
    return library


def _check_not_rejected(name: str) -> None:
    """Raise StrategyError if a name belongs to a plug-in that could not be loaded."""
    rejection_reasons = _load_library().rejection_reasons
    for plug_in in (name, name.partition(".")[0]):
        if plug_in in rejection_reasons:
            raise StrategyError(rejection_reasons[plug_in])


@cache
def _read_built_in_sources() -> dict[str, str]:
    """Return the sources of the modules that define built-in strategies, by module name."""
    import simgin_strategies

    files = sorted(Path(str(simgin_strategies.__file__)).parent.glob("[!_]*.py"))
    return {f"simgin_strategies.{file.stem}": file.read_text(encoding="utf-8") for file in files}


def _load_built_in_strategies() -> _Library:
    """Load all built-in strategies and policies."""
    return _collect_definitions(map(importlib.import_module, _read_built_in_sources()))


@lru_cache(maxsize=256)
def _load_modules_defining(name: str) -> _Library:
    """Load the built-in modules that might define a strategy or a policy with the given name.

    Loading all modules takes ten times as long.
    """
    definitions = (f'"{name}"', f"def {name.replace('-', '_')}(")
    modules = [
        importlib.import_module(module)
        for module, source in _read_built_in_sources().items()
        if any(definition in source for definition in definitions)
    ]
    return _collect_definitions(modules)


def find_plug_ins() -> list[EntryPoint]:
    """Return the entry points of installed packages that provide strategies."""
    points: list[EntryPoint] = []
    for package in distributions():
        try:
            points += package.entry_points.select(group="simgin.strategies")
        except Exception as error:  # The metadata can be corrupt.
            path = getattr(package, "_path", "a package")
            print_status(
                f"warning: the plug-ins of {path} could not be listed ({describe_error(error)}). "
                "They are skipped."
            )
    return list(dict.fromkeys(points))


def load_plug_in(entry_point: EntryPoint, used_names: Collection[str]) -> _Library:
    """Load the strategies and policies of one plug-in, given its entry point.

    The policies are named `package.policy` to avoid conflicts.

    Args:
        entry_point: Entry point of the plug-in.
        used_names: Names of strategies in use.

    Raises:
        StrategyError: If the plug-in cannot be loaded, or if the name of a strategy is already in
            use.
    """
    package = _get_package_name(entry_point)
    try:
        target = entry_point.load()
        module = target if isinstance(target, ModuleType) else sys.modules[target.__module__]
        library = _collect_definitions([module])
        for name in sorted(set(library.strategies) & set(used_names)):
            raise StrategyError(f"{name!r} is the name of another strategy.")
    except KeyboardInterrupt:
        raise
    except BaseException as raised:
        error = ensure_printable_error(raised)
        reason = str(error) if isinstance(error, StrategyError) else f"{describe_error(error)}."
        raise StrategyError(
            f"the plug-in {entry_point.name!r} of the package {package} cannot be loaded: {reason} "
            "Update the package, or remove it with pip uninstall."
        ) from None
    policies = {}
    for (slot, name), policy in library.policies.items():
        full_name = f"{package}.{name}"
        policies[slot, full_name] = replace(policy, name=full_name)
    return replace(library, policies=policies)


def _get_package_name(entry_point: EntryPoint) -> str:
    """Return the name of the package that provides an entry point."""
    with contextlib.suppress(Exception):  # The metadata can be corrupt.
        return (entry_point.dist and entry_point.dist.name) or entry_point.name
    return entry_point.name


def _collect_definitions(modules: Iterable[ModuleType]) -> _Library:
    """Collect the strategies and policies that the given modules define.

    Raises:
        StrategyError: If two strategies, or two policies of a slot, have the same name.
    """
    library = _Library()
    for module in modules:
        for definition in vars(module).values():
            if isinstance(definition, Strategy):
                docstring = (module.__doc__ or "").strip()
                source = definition.source or _extract_source(docstring)
                definition = replace(definition, about=definition.about or docstring, source=source)
                known_definition: object = library.strategies.setdefault(
                    definition.name, definition
                )
                description = "strategies"
            # Policies that a module imports from another module are excluded.
            elif (
                isinstance(definition, Policy) and definition.function.__module__ == module.__name__
            ):
                if not definition.name:
                    continue
                known_definition = library.policies.setdefault(
                    (definition.slot, definition.name), definition
                )
                description = f"{definition.slot} policies"
            else:
                continue
            if known_definition != definition:
                raise StrategyError(
                    f"two {description} have the name {quote_text(definition.name)}. Rename one of "
                    f"the two in {module.__file__}."
                )
    return library


def _extract_source(text: str) -> str:
    """Return the text after `Source:` in a docstring, or "" if there is none."""
    for paragraph in text.split("\n\n"):
        line = " ".join(paragraph.split())
        if line.startswith("Source:"):
            return line.removeprefix("Source:").strip()
    return ""


def _load_file_library(path: Path) -> _Library:
    """Load a file, and return the strategies and policies that the file defines."""
    text = str(path)
    if not text.isprintable():
        text = quote_text(text)
    try:
        content = read_bytes(path)
    except OSError as error:
        raise StrategyError(
            f"the strategy file {text} cannot be read ({error.strerror})."
        ) from None
    except ValueError as error:
        raise StrategyError(f"{text} is not a valid path of a strategy file ({error}).") from None
    if b"\0" in content:
        raise StrategyError(f"{text} is not UTF-8 text. Save it as UTF-8.")
    real_path = path.resolve()
    if error_text := describe_encoding_error(str(real_path)):  # numba requires a UTF-8 path.
        raise StrategyError(f"the path {error_text}.")
    with _convert_load_errors(real_path):
        return _collect_definitions([_load_file(real_path, content)])


@cache
def _load_file(path: Path, content: bytes) -> ModuleType:
    """Import a strategy file as a module with a unique name."""
    digest = hashlib.sha256(bytes(path) + content).hexdigest()
    module_name = f"simgin_plugin_{digest[:16]}"
    reader = SourceFileLoader(module_name, str(path))  # SourceFileLoader accepts any file suffix.
    spec = importlib.util.spec_from_file_location(module_name, path, loader=reader)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(module_name, None)
        raise
    module.__file__ = str(path)  # Restore the path if the file has changed it.
    return module


@contextlib.contextmanager
def _convert_load_errors(path: Path) -> Iterator[None]:
    """Convert every exception that a strategy file raises, even SystemExit, to StrategyError."""
    try:
        yield
    except (StrategyError, KeyboardInterrupt):
        raise
    except BaseException as raised:
        error = ensure_printable_error(raised)
        # Walk the traceback without reading source files.
        stack = traceback.walk_tb(error.__traceback__)
        line_numbers = [number for frame, number in stack if frame.f_code.co_filename == str(path)]
        # SyntaxError adds the line itself.
        location = f" (line {line_numbers[-1]})" if line_numbers else ""
        raise StrategyError(
            f"{path} cannot be read{location}: {_describe_load_error(error, path)}"
        ) from None


def _describe_load_error(error: BaseException, path: Path) -> str:
    """Return a description of an import error, with a suggested fix if a name is missing.

    Args:
        error: Exception that the file raised.
        path: Path of the file.
    """
    match = _MISSING_NAME_PATTERN.match(format_error_message(error))
    if isinstance(error, ImportError) and match and match[2] in sys.modules:
        suggestion = suggest_spelling(match[1], vars(sys.modules[match[2]]))
        return f"{match[2]} has no {match[1]}{suggestion}"
    hint = ""
    if isinstance(error, ModuleNotFoundError) and _is_in_same_directory(str(error.name), path):
        hint = (
            f" simgin does not search the directory of {path.name} for modules. Move the code of "
            f"{error.name} into {path.name}, or install {error.name} with pip."
        )
    return f"{describe_error(error)}.{hint}"


def _is_in_same_directory(module_name: str, path: Path) -> bool:
    """Return True if a module is a file or a package in the same directory as another file."""
    module = path.with_name(module_name.partition(".")[0] or "-")
    return module.is_dir() or module.with_suffix(".py").is_file()
