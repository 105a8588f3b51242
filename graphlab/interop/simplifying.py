"""Simplifying with SymPy in a process of its own, which can be ended: it may need for ever, or all memory.

The process gets a program as text, reads it with graphlab's parser, and answers with the simplified expression. It is
this module run as a script.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import sympy

from graphlab.engine.dag import Dag
from graphlab.errors import GraphLabError, LimitError, NoRule
from graphlab.interop.sympy import to_sympy
from graphlab.language import parse_program


def simplify(program: str, timeout: float) -> Any:
    """The output of a program as SymPy simplifies it.

    Raises LimitError after `timeout` seconds of work, NoRule for what SymPy has no meaning for.
    """
    command = [sys.executable, "-m", __name__]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()  # it says when SymPy is loaded, so only the work itself is timed
            answer, _ = process.communicate(program.encode(), timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            answer = b""
    if not answer:
        raise LimitError(f"SymPy could not simplify this within {timeout:g} seconds", hint="Take it as it is.")
    found = pickle.loads(answer)  # what our own process wrote
    if isinstance(found, str):
        raise NoRule(found)
    return found


def environment() -> dict[str, str]:
    """This process's surroundings, in which the other one finds the same packages."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)}


def limit_memory(limit: int = 2**31) -> None:
    """At most 2 GiB, where the system can say so."""
    if find_spec("resource") is not None:
        resource = import_module("resource")
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def work(program: str) -> Any:
    """The simplified expression, or a sentence that says why there is none."""
    try:
        expression = to_sympy(Dag(*parse_program(program).outputs), real=True)
    except GraphLabError as fault:
        return str(fault)
    simpler = sympy.simplify(expression)
    return simpler.subs({symbol: sympy.Symbol(symbol.name) for symbol in simpler.free_symbols})


if __name__ == "__main__":
    limit_memory()
    sys.stdout.buffer.write(b"ready\n")
    sys.stdout.buffer.flush()
    sys.stdout.buffer.write(pickle.dumps(work(sys.stdin.buffer.read().decode())))
