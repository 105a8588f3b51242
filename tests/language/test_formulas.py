"""Every construct of the plain notation gives the graph it should."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphlab.language import parse_program
from tests.language.structure import read, show

MEANINGS = {
    # precedence
    "L = c*(a+2*b)": "mul(c, add(a, mul(2, b)))",
    "a+b^2": "add(a, pow(b, 2))",
    "a-b-c": "sub(sub(a, b), c)",
    "a/b/c": "div(div(a, b), c)",
    "a/b*c": "mul(div(a, b), c)",
    "a-(b-c)": "sub(a, sub(b, c))",
    "x**2**3": "pow(x, pow(2, 3))",
    "2x^2": "mul(2, pow(x, 2))",
    "-x^2": "neg(pow(x, 2))",
    "-a*b": "mul(neg(a), b)",
    "a*-b": "mul(a, neg(b))",
    "2^-x": "pow(2, neg(x))",
    "2^-x^2": "pow(2, neg(pow(x, 2)))",
    "2^-x*y": "mul(pow(2, neg(x)), y)",
    "+x": "x",
    "a@b*c": "mul(matmul(a, b), c)",
    "a+b > c*d": "greater(add(a, b), mul(c, d))",
    "x^y.T": "pow(x, transpose(y))",
    "-x.T": "neg(transpose(x))",
    # products without a sign
    "2b": "mul(2, b)",
    "2(a+b)": "mul(2, add(a, b))",
    "(a)(b)": "mul(a, b)",
    "(a+b)2": "mul(add(a, b), 2)",
    "c(a+2b)": "mul(c, add(a, mul(2, b)))",
    "d=2b\ne=a+d\nL=c e": "mul(c, add(a, mul(2, b)))",
    "a b c": "mul(mul(a, b), c)",
    "a(b)(c)": "mul(mul(a, b), c)",
    "1/2x": "mul(div(1, 2), x)",
    "a/b c": "mul(div(a, b), c)",
    "a/bc": "div(a, bc)",
    "2^c(a+b)": "mul(pow(2, c), add(a, b))",
    "c(a)^2": "mul(c, pow(a, 2))",
    "x if a else b": "mul(mul(mul(mul(x, if), a), else), b)",
    # numbers
    "2e3": "2e3",
    "2.50": "2.50",
    ".5x": "mul(.5, x)",
    "2e": "mul(2, e)",
    "2e-3": "2e-3",
    "2e3x": "mul(2e3, x)",
    "2ex": "mul(2, ex)",
    "2 e 3": "mul(mul(2, e), 3)",
    # a minus before a number belongs to it, except before ^
    "-3x": "mul(-3, x)",
    "-3^2": "neg(pow(3, 2))",
    "-3²": "neg(pow(3, 2))",
    "a - 3": "sub(a, 3)",
    "a--3": "sub(a, -3)",
    "--3": "neg(-3)",
    "-(2)": "neg(2)",
    "2^-3": "pow(2, -3)",
    "x⁻¹": "pow(x, -1)",
    # signs in other spellings
    "a × b": "mul(a, b)",
    "a ⊙ b": "mul(a, b)",
    "σ(w·x)": "sigmoid(mul(w, x))",
    "a − b": "sub(a, b)",
    "a ÷ b": "div(a, b)",
    "x₁²": "pow(x_1, 2)",
    "x²y": "mul(pow(x, 2), y)",
    "√x": "sqrt(x)",
    "√(x+1)": "sqrt(add(x, 1))",
    # names
    "x_1*w_1+x_{12}": "add(mul(x_1, w_1), x_12)",
    "α+β": "add(alpha, beta)",
    "α*alpha": "mul(alpha, alpha)",
    "αx": "mul(alpha, x)",
    "x_α": "x_alpha",
    "xᵢ": "x_i",
    "x'": "x'",
    "x′": "x'",
    "x_1''": "x_1''",
    "S_bar": "S_bar",
    "lambda*x": "mul(lambda, x)",
    "in*is": "mul(in, is)",
    "E*I+S*N/Q": "add(mul(E, I), div(mul(S, N), Q))",
    "sigma": "sigma",
    "sigma^2": "pow(sigma, 2)",
    "sigma x": "mul(sigma, x)",
    "dout*(1-out)": "mul(dout, sub(1, out))",
    # Euler's number
    "e^x": "exp(x)",
    "e**x": "exp(x)",
    "(e)^x": "exp(x)",
    "e^-x^2": "exp(neg(pow(x, 2)))",
    "2e^x": "mul(2, exp(x))",
    "e^x^2": "exp(pow(x, 2))",
    "pi r^2": "mul(pi, pow(r, 2))",
    "e=a+b; L=e^x": "pow(add(a, b), x)",
    # bars
    "|x|": "abs(x)",
    "|x|+|y|": "add(abs(x), abs(y))",
    "|a|b|c|": "mul(mul(abs(a), b), abs(c))",
    "||x||": "abs(abs(x))",
    "||x|-|y||": "abs(sub(abs(x), abs(y)))",
    "|x+|y||": "abs(add(x, abs(y)))",
    "|x|^2": "pow(abs(x), 2)",
    "2|x|": "mul(2, abs(x))",
    "|(|x|)+1|": "abs(add(abs(x), 1))",
    # functions
    "sigma(x)": "sigmoid(x)",
    "sigma(w@x)": "sigmoid(matmul(w, x))",
    "logistic(x)": "sigmoid(x)",
    "ln(x)": "log(x)",
    "ReLU(x)": "relu(x)",
    "exp(-x)": "exp(neg(x))",
    "sin (x)": "sin(x)",
    "sin(x)^2": "pow(sin(x), 2)",
    "leakyrelu(x, 0.1)": "leaky_relu(x, 0.1)",
    "leaky_relu(x)": "leaky_relu(x, 0.01)",
    "max(0,x)": "maximum(0, x)",
    "max(a,b,c)": "maximum(maximum(a, b), c)",
    "max(x)": "max(x)",
    "max(x, axis=0)": "max(x, axis=0)",
    "where(x>0, x, 0)": "where(greater(x, 0), x, 0)",
    "where(x≥0, 1, 0)": "where(greater_equal(x, 0), 1, 0)",
    "a==b": "equal(a, b)",
    "a≠b": "not_equal(a, b)",
    "a<=b": "less_equal(a, b)",
    "-(y*log(p)+(1-y)*log(1-p))": "neg(add(mul(y, log(p)), mul(sub(1, y), log(sub(1, p)))))",
    "sum(\n  x,\n  axis=0\n)": "sum(x, axis=0)",
    # functions without brackets
    "sin x": "sin(x)",
    "sin 2x": "sin(mul(2, x))",
    "sin x^2": "sin(pow(x, 2))",
    "sin x + 1": "add(sin(x), 1)",
    "sin x/2": "div(sin(x), 2)",
    "sin^2 x": "pow(sin(x), 2)",
    "sin²(x)": "pow(sin(x), 2)",
    "sin x cos y": "mul(sin(x), cos(y))",
    "y log p": "mul(y, log(p))",
    "log sin x": "log(sin(x))",
    "log p(1-p)": "log(mul(p, sub(1, p)))",
    "sin |x|": "sin(abs(x))",
    "√2x": "sqrt(mul(2, x))",
    # options
    "sum(x, axis=(0,1))": "sum(x, axis=(0, 1))",
    "sum(x, axis=(0,))": "sum(x, axis=(0,))",
    "sum(x, axis=-1, keepdims=true)": "sum(x, axis=-1, keepdims=True)",
    "mean(x, axis=1, keepdims=1)": "mean(x, axis=1, keepdims=True)",
    "mean(x, keepdims=False)": "mean(x)",
    # matrices
    "W.T@G": "matmul(transpose(W), G)",
    "Wᵀ@x": "matmul(transpose(W), x)",
    "W^⊤ @ x": "matmul(transpose(W), x)",
    "W^T@x": "matmul(transpose(W), x)",
    "T*x^T": "mul(T, pow(x, T))",
    "2^T": "pow(2, T)",
    "(W@x+b).T": "transpose(add(matmul(W, x), b))",
    "[1, -2.5, 3e2]": "[1.0, -2.5, 300.0]",
    "[[1, 2], [3, 4]]@x": "matmul([[1.0, 2.0], [3.0, 4.0]], x)",
    "sum(x*[1,2])": "sum(mul(x, [1.0, 2.0]))",
}


@pytest.mark.parametrize("text", MEANINGS)
def test_a_formula_means_what_a_reader_takes_it_for(text: str) -> None:
    assert read(text) == MEANINGS[text]


def test_literals_keep_the_text_they_were_typed_as() -> None:
    """2.50 stays 2.50, and its value is 2.5."""
    node = parse_program("2.50 + x").outputs[0].inputs[0]
    assert (node.attrs["literal"], node.value) == ("2.50", 2.5)


def test_a_name_typed_twice_is_one_input_and_a_literal_typed_twice_is_two_constants() -> None:
    """x*x has one x; 2 + 2 two constants."""
    product = parse_program("x*x").outputs[0]
    total = parse_program("2 + 2").outputs[0]
    assert product.inputs[0] is product.inputs[1]
    assert total.inputs[0] is not total.inputs[1]


def test_inputs_are_made_in_the_order_they_appear() -> None:
    """Gradients are listed in this order."""
    product = parse_program("L = c(a+2b)").outputs[0]
    total = product.inputs[1]
    order = [product.inputs[0], total.inputs[0], total.inputs[1].inputs[1]]
    assert [node.name for node in order] == ["c", "a", "b"]
    assert sorted(order, key=lambda node: node.index) == order


def test_every_operation_knows_where_it_was_typed() -> None:
    """The place of the sign, the function's name, or the factor multiplied on."""
    program = parse_program("L = sin(a)*2b + |c|")
    at = {node.op.name: place for node, place in program.positions.items() if node.op}
    text = program.source
    assert at["sin"] == text.index("sin")
    assert at["add"] == text.index("+")
    assert at["abs"] == text.index("|")
    assert at["mul"] in (text.index("*"), text.index("b"))


CASES = Path(__file__).with_name("lecture.json")


@pytest.mark.parametrize("name, text", json.loads(CASES.read_text(encoding="utf-8")).items())
def test_the_formulas_of_the_lecture_are_read(name: str, text: str) -> None:
    """Whatever a rung is typed as is a program."""
    assert show(parse_program(text).outputs[0])
