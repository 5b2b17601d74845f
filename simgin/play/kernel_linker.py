"""Program that links and optimises the code of a specialised kernel.

`simgin.play.specialized_kernel` starts the program in a separate process, because LLVM cannot be
interrupted while it optimises, and because an error in LLVM must not stop a run. The program
imports only llvmlite. The program reads the pickled arguments of `build_kernel` from stdin, and
writes the result to stdout.
"""

import pickle
import sys
from typing import Any

from llvmlite import binding as llvm

ENTRY_POINT_NAME = "specialized_kernel"
GENERIC_KERNEL_NAME = "generic_kernel"
NUMBA_ENVIRONMENT_PREFIX = "_ZN08NumbaEnv"  # prefix that numba uses for the names of environments


def build_kernel(
    kernel: bytes,
    kernel_name: str,
    wrapper_name: str,
    policies: list[tuple[bytes, str]],
    rules: bytes,
    target: dict[str, Any],
) -> bytes:
    """Return the machine code of a kernel with constant rules and known policies.

    Args:
        kernel: Bitcode of the generic kernel.
        kernel_name: Name of the kernel's function.
        wrapper_name: Name of the function that Python calls to run the kernel.
        policies: Bitcode and function name of each policy, in the order of the arguments.
        rules: Content of the rules record.
        target: Arguments of llvmlite's `create_target_machine`.

    Returns:
        The names of all numba environments on the first line, followed by an object file.
    """
    module = _parse_function(kernel, wrapper_name, ENTRY_POINT_NAME)
    generic_module = _parse_function(kernel, kernel_name, GENERIC_KERNEL_NAME)
    new_names = {policy: f"policy_{i}" for i, policy in enumerate(policies)}
    caller = _make_caller_assembly(
        kernel_name, generic_module, [new_names[policy] for policy in policies], rules
    )
    # A linkonce definition is replaced by the definition of the same name in `caller`.
    module.get_function(kernel_name).linkage = llvm.Linkage.linkonce_odr
    module.link_in(generic_module)
    for (bitcode, name), new_name in new_names.items():
        module.link_in(_parse_function(bitcode, name, new_name))
    module.link_in(llvm.parse_assembly(caller))
    _hide_functions(module, ENTRY_POINT_NAME)
    module.verify()
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(**target)
    _optimize_module(module, machine)
    environments = [
        variable.name
        for variable in module.global_variables
        if variable.name.startswith(NUMBA_ENVIRONMENT_PREFIX)
    ]
    return b"\n".join([" ".join(environments).encode(), machine.emit_object(module)])


def _parse_function(bitcode: bytes, name: str, new_name: str) -> llvm.ModuleRef:
    """Return a module in which only one function is visible to the linker, under a new name.

    Policies from different caches can have equal names, so the linker must not see the original
    names.
    """
    module = llvm.parse_bitcode(bitcode)
    _hide_functions(module, name)
    function = module.get_function(name)
    function.linkage = llvm.Linkage.external
    function.name = new_name
    return module


def _hide_functions(module: llvm.ModuleRef, visible_name: str) -> None:
    """Give internal linkage to all functions of a module except the visible function."""
    for function in module.functions:
        if not function.is_declaration and function.name != visible_name:
            function.linkage = llvm.Linkage.internal


def _make_caller_assembly(
    kernel_name: str, generic_module: llvm.ModuleRef, policies: list[str], rules: bytes
) -> str:
    """Return LLVM assembly that calls the generic kernel with constant rules and policies."""
    arguments = list(generic_module.get_function(GENERIC_KERNEL_NAME).arguments)
    types = [str(argument.type) for argument in arguments]
    parameters = [f"{type_name} %a{i}" for i, type_name in enumerate(types)]
    call_arguments = list(parameters)
    call_arguments[[argument.name for argument in arguments].index("arg.rules")] = "ptr @rules"
    call_arguments[len(call_arguments) - len(policies) :] = [f"ptr @{name}" for name in policies]
    rules_words = ", ".join(f"i64 {word}" for word in memoryview(rules).cast("q"))
    return "\n".join(
        [
            f"@rules = internal constant [{len(rules) // 8} x i64] [{rules_words}], align 64",
            *(f"declare void @{name}()" for name in dict.fromkeys(policies)),
            f"declare i32 @{GENERIC_KERNEL_NAME}({', '.join(types)})",
            f'define i32 @"{kernel_name}"({", ".join(parameters)}) {{',
            f"  %status = call i32 @{GENERIC_KERNEL_NAME}({', '.join(call_arguments)})",
            "  ret i32 %status",
            "}",
        ]
    )


def _optimize_module(module: llvm.ModuleRef, machine: llvm.TargetMachine) -> None:
    """Optimise a module with the highest optimisation level of LLVM."""
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = True
    options.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)


if __name__ == "__main__":
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    sys.stdout.buffer.write(build_kernel(**pickle.load(sys.stdin.buffer)))
