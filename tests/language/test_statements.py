"""Programs of several statements: output, names, re-assignment, functions, declared shapes."""

from __future__ import annotations

import pytest

from graphlab.language import Notice, parse_program
from tests.language.structure import named, read, show


def test_the_last_statement_is_the_output() -> None:
    """A bare formula has no name."""
    program = parse_program("d = 2b; a + d")
    assert show(program.outputs[0]) == "add(a, mul(2, b))"
    assert program.output_name is None


def test_the_statement_named_l_is_the_output_wherever_it_stands() -> None:
    """The last one, if there are several."""
    program = parse_program("L = a; L = 2L; M = 3a")
    assert program.output_name == "L"
    assert [show(node) for node in program.outputs] == ["mul(2, a)", "mul(3, a)"]


def test_statements_end_with_a_line_or_a_semicolon_and_comments_are_skipped() -> None:
    """Blank ones do not count."""
    assert read("# the lecture\nd = 2b  # doubled\r\n\n;; e = a+d;\n\nL = c e\n") == "mul(c, add(a, mul(2, b)))"


def test_a_line_goes_on_inside_brackets() -> None:
    """Comments too."""
    assert read("L = c*(a + # first\n 2b)") == "mul(c, add(a, mul(2, b)))"


def test_nothing_typed_is_lost() -> None:
    """What the output does not use follows it."""
    program = parse_program("p = a*b; q = a+b; L = 2p")
    assert [show(node) for node in program.outputs] == ["mul(2, mul(a, b))", "add(a, b)"]
    assert named(program) == {"p": "mul(a, b)", "q": "add(a, b)", "L": "mul(2, mul(a, b))"}


def test_renaming_makes_no_node() -> None:
    """y = x is x."""
    program = parse_program("y = x; L = y + x")
    assert show(program.outputs[0]) == "add(x, x)"
    assert program.outputs[0].inputs[0] is program.outputs[0].inputs[1]


def test_a_node_keeps_its_first_name() -> None:
    """The output's own name is known all the same."""
    program = parse_program("t = a*b; L = t")
    assert named(program) == {"t": "mul(a, b)"}
    assert program.output_name == "L"


def test_a_name_assigned_again_is_a_new_node_with_a_number() -> None:
    """Never a cycle."""
    program = parse_program("x = x0\nx = x + a\nx = x + a\nx = 2x")
    assert list(named(program)) == ["x", "x_2", "x_3"]
    assert program.output_name == "x_3"
    assert program.notices == ()


def test_an_input_that_is_assigned_later_says_so() -> None:
    """x = x + 1 needs a value for the first x."""
    program = parse_program("x = x + 1")
    assert named(program) == {"x_2": "add(x, 1)"}
    message = "x was used as an input before this line; its new value is called x_2"
    assert program.notices == (Notice(message, 0, "x"),)


def test_numbered_names_avoid_the_names_in_the_text() -> None:
    """Here x_2 is an input."""
    assert list(named(parse_program("x = a; x = x + 1; x = x + x_2"))) == ["x", "x_3"]
    assert named(parse_program("x = a+1; x = x_2"))["x"] == "add(a, 1)"


def test_a_constant_can_be_named() -> None:
    """k = 2."""
    assert named(parse_program("k = 2; L = k*x")) == {"k": "2", "L": "mul(2, x)"}


# ---- functions -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "text, meaning",
    [
        ("f(x) = x^2; L = f(a) + f(b)", "add(pow(a, 2), pow(b, 2))"),
        ("f(x, y) = x - y; L = f(b, a)", "sub(b, a)"),
        ("f(x) = k*x; k = 3; L = f(2)", "mul(3, 2)"),
        ("L = f(2); f(x) = x + 1", "add(2, 1)"),
        ("f(x) = g(x) + 1; g(x) = 2x; L = f(a)", "add(mul(2, a), 1)"),
        ("g(x) = k*x; f(k) = g(k); L = f(2)", "mul(k, 2)"),
        ("f(x) = x; L = f(a)", "a"),
        ("f(x) = 3; L = f(a)", "3"),
        ("f(x) = f_1*x; L = f(f(a))", "mul(f_1, mul(f_1, a))"),
        ("f(x) = leaky_relu(x) + [1, 2]; L = f(a)", "add(leaky_relu(a, 0.01), [1.0, 2.0])"),
        ("f(max) = max(2max, 1); L = f(a)", "maximum(mul(2, a), 1)"),
        ("f(c) = c(c+1); L = f(a)", "mul(a, add(a, 1))"),
    ],
)
def test_a_call_puts_its_inputs_into_the_body(text: str, meaning: str) -> None:
    """Free names mean what they mean at the call; a definition may stand below."""
    assert read(text) == meaning


def test_every_call_makes_its_own_nodes() -> None:
    """As if it were written out, also its constants."""
    total = parse_program("f(x) = 2x; L = f(a) + f(a)").outputs[0]
    left, right = total.inputs
    assert left is not right
    assert left.inputs[0] is not right.inputs[0]
    assert left.inputs[1] is right.inputs[1]


def test_a_definition_that_nobody_calls_is_the_formula_it_gives() -> None:
    """L(a, b, c) = … is how the lecture writes it; its inputs come in that order."""
    program = parse_program("L(a, b, c) = c(a+2b)")
    assert show(program.outputs[0]) == "mul(c, add(a, mul(2, b)))"
    assert program.output_name == "L"
    inputs = [program.outputs[0].inputs[1].inputs[0], program.outputs[0].inputs[0]]
    assert inputs[0].index < inputs[1].index


def test_a_definition_that_is_not_used_is_mentioned() -> None:
    """It makes no node."""
    program = parse_program("f(x) = x^2; L = a")
    assert [notice.message for notice in program.notices] == ["f is defined but never used"]
    assert len(program.outputs) == 1


def test_functions_nest_without_growing_the_stack() -> None:
    """A thousand definitions, each calling the one before."""
    lines = ["f_0(x) = x + 1"] + [f"f_{i}(x) = f_{i - 1}(x)" for i in range(1, 1000)]
    assert read("\n".join([*lines, "L = f_999(a)"])) == "add(a, 1)"


# ---- shapes ----------------------------------------------------------------------------------------------------------
def test_shapes_are_declared_with_names_or_numbers() -> None:
    """A vector, a matrix, a scalar."""
    program = parse_program("X: (n, d); w: (d,); k: (); m: (3, 4); L = sum(X@w)*k + sum(m)")
    assert program.shapes == {"X": ("n", "d"), "w": ("d",), "k": (), "m": (3, 4)}


def test_a_declared_size_means_itself_in_formulas() -> None:
    """One node for all its uses."""
    program = parse_program("X: (n, d); L = sum(X)/d + d")
    assert show(program.outputs[0]) == "add(div(sum(X), size(X, axis=1)), size(X, axis=1))"
    assert named(program)["d"] == "size(X, axis=1)"
    assert read("X: (n, d); d = 3; L = sum(X)/d") == "div(sum(X), 3)"
