"""Who may import whom. The two tables are the documentation; the tests only read the files and compare.

A room may import the rooms of earlier lines, never its neighbours on the same line or anything below.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINES = (
    ("graphlab.errors",),
    ("graphlab.engine.shapes", "graphlab.engine.notation", "graphlab.engine.special"),
    ("graphlab.engine.axis_notation",),
    ("graphlab.engine.kernels",),
    ("graphlab.engine.core",),
    ("graphlab.engine.records",),
    ("graphlab.engine.ops",),
    ("graphlab.engine.dag",),
    ("graphlab.engine.places",),
    (
        "graphlab.engine.values",
        "graphlab.engine.inference",
        "graphlab.engine.bodies",
        "graphlab.engine.naming",
        "graphlab.engine.writing",
    ),
    ("graphlab.engine.evaluation", "graphlab.engine.algebra", "graphlab.engine.opening"),
    ("graphlab.engine.reverse", "graphlab.engine.forward_mode", "graphlab.engine.rewriting"),
    (
        "graphlab.engine.merging",
        "graphlab.engine.stabilising",
        "graphlab.engine.rules_of_numbers",
        "graphlab.engine.rules_of_arrays",
    ),
    ("graphlab.engine.simplifying",),
    ("graphlab.engine.textbook",),
    ("graphlab.engine.jacobians", "graphlab.engine.paths", "graphlab.engine.scalars", "graphlab.engine.plans"),
    ("graphlab.engine",),
    ("graphlab.language", "graphlab.tracing", "graphlab.functions"),
    ("graphlab.layers", "graphlab.render"),
    ("transformer",),
    ("graphlab.interop",),
    ("graphlab.checking",),
    ("graphlab.api",),
    ("graphlab.practice",),
    ("graphlab",),
    ("graphlab.lessons",),
    ("graphlab.ui",),
    ("graphlab.cli",),
    ("graphlab.__main__", "app"),
)
# Narrower than the lines say: who alone may import a package, and what is all that a room may import.
ONLY_FOR = {
    "streamlit": ("graphlab.ui",),
    "torch": ("graphlab.interop.torch", "graphlab.engine.plans", "transformer"),
    "transformer": (
        "graphlab.interop.torch",
        "graphlab.lessons.laboratories.checkpoints",
        "graphlab.ui",
        "graphlab.cli",
        "transformer",
    ),
}
ALL_FOR = {
    "graphlab.engine": ("graphlab.engine", "graphlab.errors", "numpy", "scipy", "torch", *sys.stdlib_module_names),
    "graphlab.language": (
        "graphlab.language",
        "graphlab.errors",
        "graphlab.engine.shapes",
        "graphlab.engine.notation",
        "graphlab.engine.axis_notation",
        "graphlab.engine.core",
        "graphlab.engine.ops",
    ),
    "transformer": ("transformer", "torch", "tokenizers", "safetensors", "huggingface_hub", "tqdm", "numpy"),
}
# The outer rooms, what asks torch or mpmath only where that is installed, and the way to the model hub, whose library
# takes half a second that nobody else needs.
IMPORT_INSIDE_FUNCTIONS = (
    "graphlab.api",
    "graphlab.cli",
    "graphlab.ui",
    "graphlab.checking.witnesses",
    "graphlab.lessons.laboratories.checkpoints",
    "graphlab.practice.comparing",
    "transformer.fetch",
)

FILES = [ROOT / "app.py", *ROOT.glob("graphlab/**/*.py"), *ROOT.glob("transformer/**/*.py")]
ROOMS = {room: line for line, rooms in enumerate(LINES) for room in rooms}


def module_of(path: Path) -> str:
    """graphlab/engine/core.py → graphlab.engine.core"""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path) for path in FILES}


def inside(module: str, *packages: str) -> bool:
    """Whether the module is one of the packages or lies in one."""
    return any(module == package or module.startswith(package + ".") for package in packages)


def room_of(module: str) -> str:
    """The longest entry of LINES that holds the module."""
    return max((room for room in ROOMS if inside(module, room)), key=len)


def imports(path: Path) -> Iterator[tuple[str, ast.stmt]]:
    """Every imported module, as its full name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module and not node.level, f"{path}:{node.lineno}: write imports in full"
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in MODULES else node.module, node


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_a_module_imports_only_what_stands_before_it(path: Path) -> None:
    """The lines, and the narrower tables."""
    module = module_of(path)
    room = room_of(module)
    for imported, node in imports(path):
        place = f"{path.relative_to(ROOT)}:{node.lineno}: {module} imports {imported}"
        if inside(imported, *ROOMS):
            target = room_of(imported)
            assert target == room or ROOMS[target] < ROOMS[room], f"{place}, which does not stand before {room}"
        for package, users in ONLY_FOR.items():
            assert not inside(imported, package) or inside(module, *users), f"{place}, which is only for {users}"
        for package, allowed in ALL_FOR.items():
            known = inside(imported, *allowed, *sys.stdlib_module_names, "numpy")
            assert not inside(module, package) or known, f"{place}, which is not among {allowed}"


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_only_the_outer_rooms_import_inside_functions(path: Path) -> None:
    """Everywhere else the imports stand at the top of the file."""
    if inside(module_of(path), *IMPORT_INSIDE_FUNCTIONS):
        return
    functions = [n for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.FunctionDef)]
    late = [n.lineno for f in functions for n in ast.walk(f) if isinstance(n, (ast.Import, ast.ImportFrom))]
    assert not late, f"{path.relative_to(ROOT)} imports inside a function in lines {late}"
