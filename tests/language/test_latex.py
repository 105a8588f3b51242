"""LaTeX notation: what every construct means, as nested calls, and that it is the same as in plain text."""

from __future__ import annotations

import pytest

from graphlab.engine.notation import name_latex
from graphlab.errors import ValueProblem
from graphlab.language import parse_program
from graphlab.language.latex_names import NameReader
from tests.language.structure import named, show

MEANINGS = {
    # the lecture
    r"L = c(a+2b)": "mul(c, add(a, mul(2, b)))",
    r"c \cdot (a+2b)": "mul(c, add(a, mul(2, b)))",
    r"c(a+2 b)": "mul(c, add(a, mul(2, b)))",
    r"\sigma(w \cdot x)": "sigmoid(mul(w, x))",
    r"\sigma \left( x \right)": "sigmoid(x)",
    r"\sigma x": "mul(sigma, x)",
    r"\frac{1}{1+e^{-x}}": "div(1, add(1, exp(neg(x))))",
    r"\frac{1}{1+\exp(-x)}": "div(1, add(1, exp(neg(x))))",
    r"\frac{e^x-e^{-x}}{e^x+e^{-x}}": "div(sub(exp(x), exp(neg(x))), add(exp(x), exp(neg(x))))",
    r"-\left(y\log p + (1-y)\log(1-p)\right)": "neg(add(mul(y, log(p)), mul(sub(1, y), log(sub(1, p)))))",
    r"u(v(w(x)))": "u(v(w(x)))",
    r"u\left(v (x)\right)": "u(v(x))",
    r"u'(v(x)) v'\left(x\right)": "mul(u'(v(x)), v'(x))",
    r"\begin{cases} x & x > 0 \\ 0 & x \le 0 \end{cases}": "where(greater(x, 0), x, 0)",
    r"\begin{cases} \alpha x, & \text{if } x < 0 \\ x, & \text{otherwise} \end{cases}": (
        "where(less(x, 0), mul(alpha, x), x)"
    ),
    r"\begin{cases} 1 & x = 0 \\ 2 & x \ne 1 \\ 3 \end{cases}": "where(equal(x, 0), 1, where(not_equal(x, 1), 2, 3))",
    r"\prod_{i=1}^2 p_i^{y_i}": "mul(pow(p_1, y_1), pow(p_2, y_2))",
    r"\mathbf{w}^\top \mathbf{x}": "mul(transpose(w), x)",
    # functions
    r"\tanh x": "tanh(x)",
    r"\ln x": "log(x)",
    r"\sin^2 x": "pow(sin(x), 2)",
    r"\sin^{2}(2x)": "pow(sin(mul(2, x)), 2)",
    r"\sin\frac{x}{2}": "sin(div(x, 2))",
    r"\log{p}": "log(p)",
    r"\left(1-\tanh^2 x\right)": "sub(1, pow(tanh(x), 2))",
    r"\text{softmax}(x)": "softmax(x)",
    r"\operatorname{softmax}(x)": "softmax(x)",
    r"\softmax(x)": "softmax(x)",
    r"\mathrm{ReLU}(x)": "relu(x)",
    r"\operatorname{leaky\_relu}(x, 0.1)": "leaky_relu(x, 0.1)",
    r"\max(0, x)": "maximum(0, x)",
    r"\max\{0, x\}": "maximum(0, x)",
    r"\operatorname{sum}(x, \mathrm{axis}=0)": "sum(x, axis=0)",
    r"|x|": "abs(x)",
    r"\left|x - |y|\right|": "abs(sub(x, abs(y)))",
    r"\lvert x\rvert y": "mul(abs(x), y)",
    r"\lVert x \rVert": "norm(x)",
    r"\|x\|\|y\|": "mul(norm(x), norm(y))",
    r"\left\|x\right\|^2": "pow(norm(x), 2)",
    r"\sqrt{x}": "sqrt(x)",
    r"\sqrt 2": "sqrt(2)",
    r"\sqrt[3]{x}": "pow(x, div(1, 3))",
    r"\sqrt{\sqrt{x}+1}y": "mul(sqrt(add(sqrt(x), 1)), y)",
    # powers, fractions, signs
    r"x^2": "pow(x, 2)",
    r"x^{2}y": "mul(pow(x, 2), y)",
    r"x^{n+1}": "pow(x, add(n, 1))",
    r"x^{-1}": "pow(x, -1)",
    r"x^\alpha (y)": "mul(pow(x, alpha), y)",
    r"x^f(y)": "mul(pow(x, f), y)",
    r"-x^2": "neg(pow(x, 2))",
    r"\mathrm{e}^{x}": "exp(x)",
    r"2^{3^2}": "pow(2, pow(3, 2))",
    r"\tfrac12 x": "mul(div(1, 2), x)",
    r"\dfrac{a}{b}c": "mul(div(a, b), c)",
    r"c\frac{a}{b}": "mul(c, div(a, b))",
    r"a \times b": "mul(a, b)",
    r"x \odot y": "mul(x, y)",
    r"x \otimes y": "outer(x, y)",
    r"W {} x": "matmul(W, x)",
    r"a \div b": "div(a, b)",
    r"a/b/c": "div(div(a, b), c)",
    r"2-1-1": "sub(sub(2, 1), 1)",
    r"a \ge b": "greater_equal(a, b)",
    r"1.5 \cdot 10^{3}": "mul(1.5, pow(10, 3))",
    r"1.5{\cdot}10^{3}": "1.5e3",
    r"a * b ≤ c": "less_equal(mul(a, b), c)",
    # names
    r"abc": "mul(mul(a, b), c)",
    r"a b c": "mul(mul(a, b), c)",
    r"\mathrm{abc}": "abc",
    r"x_1 + x_{12}": "add(x_1, x_12)",
    r"x_12": "mul(x_1, 2)",
    r"W_{ij} x_{i,j}": "mul(W_ij, x_i_j)",
    r"d_{\mathrm{model}}": "d_model",
    r"\hat{y} - \bar x": "sub(y_hat, x_bar)",
    r"\bar{x}_1": "x_1_bar",
    r"x' + x^{\prime}": "add(x', x')",
    r"2 \pi r": "mul(mul(2, pi), r)",
    r"\varepsilon\lambda": "mul(epsilon, lambda)",
    r"W^Q + W_i^{O}": "add(W_Q, W_i_O)",
    r"W^T x": "mul(transpose(W), x)",
    r"W^{\top} x": "mul(transpose(W), x)",
    r"i": "i",
    # brackets and spacing
    r"2\left[a+b\right]": "mul(2, add(a, b))",
    r"c [a + b]": "mul(c, add(a, b))",
    r"f \, (x)": "mul(f, x)",
    r"\sin \, (x)": "sin(x)",
    r"\bigl(a + b\bigr)\, c": "mul(add(a, b), c)",
    r"a \quad b \; c \! d": "mul(mul(mul(a, b), c), d)",
    "$a + % a comment\n b$": "add(a, b)",
    r"\[ a + b \]": "add(a, b)",
    # vectors and matrices
    r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}": "[[1.0, 2.0], [3.0, 4.0]]",
    r"\begin{bmatrix} 1 \\ -2 \end{bmatrix}": "[1.0, -2.0]",
    r"\begin{pmatrix} 1 & 2 \end{pmatrix}": "[1.0, 2.0]",
    r"\begin{pmatrix} a & b \\ c & d \\ \end{pmatrix}": "stack(stack(a, b), stack(c, d))",
    r"[a, 2]": "stack(a, 2)",
    r"[a,]": "stack(a)",
    r"x \begin{pmatrix} 1 & 2 \end{pmatrix}": "mul(x, [1.0, 2.0])",
    r"[[1, 2],]": "[[1.0, 2.0]]",
    r"E_{[k]}": "embedding(E, k)",
    # sums
    r"\sum_{i=1}^{3} w_i x_i + b": "add(add(add(mul(w_1, x_1), mul(w_2, x_2)), mul(w_3, x_3)), b)",
    r"\sum_{i=0}^1 \frac{i}{2}": "add(div(0, 2), div(1, 2))",
    r"\sum^{2}_{t=1} (x_t - x_{t-1})": "add(sub(x_1, x_0), sub(x_2, x_1))",
    r"|\sum_{i=1}^{2} x_i|": "abs(add(x_1, x_2))",
    r"\sum_{i=1}^{1} |x_i - y_i| z": "mul(abs(sub(x_1, y_1)), z)",
    r"\sum_{i=1}^{2} \sum_{j=1}^{2} W_{ij}": "add(add(W_11, W_12), add(W_21, W_22))",
    r"-\frac{1}{2}\sum_{i=1}^{2} -x_i": "mul(neg(div(1, 2)), add(neg(x_1), neg(x_2)))",
}  # fmt: skip


SAME_AS = [
    (r"\begin{aligned} d &= 2b \\ e &= a + d \\ L &= c\,e \end{aligned}", "d = 2b; e = a+d; L = c*e"),
    (r"f(x) = x^2 + 1 \\ L = f(a) f(b)", "f(x) = x^2 + 1; L = f(a)*f(b)"),
    (r"f(x) = u(v(w(x))); w(x) = x^2; v(w) = 3w+1; u(v) = \sqrt{v}; L = f(a)",
     "f(x) = u(v(w(x))); w(x) = x^2; v(w) = 3w+1; u(v) = sqrt(v); L = f(a)"),
    (r"L(a,b,c) = c(a+2b)", "L(a,b,c) = c(a+2b)"),
    (r"X \in \mathbb{R}^{n \times d} \\ w \in \mathbb{R}^d; b \in \mathbb{R}; X {} w + b",
     "X: (n, d); w: (d,); b: (); X@w + b"),
    (r"\begin{align*} p_1 &= \sigma(z) \\[4pt] p_2 &= 1 - p_1 \end{align*}", "p_1 = sigmoid(z); p_2 = 1 - p_1"),
    (r"\begin{split} \bar{S} &= e^{x} \\ &\bar{S}^2 \end{split}", "S_bar = e^x; S_bar^2"),
]  # fmt: skip


@pytest.mark.parametrize("text", MEANINGS)
def test_a_construct_means(text: str) -> None:
    """One row each."""
    assert show(parse_program(text, notation="latex").outputs[0]) == MEANINGS[text]


@pytest.mark.parametrize("latex, plain", SAME_AS)
def test_a_program_means_the_same_in_both_notations(latex: str, plain: str) -> None:
    """Statements, names, shapes and definitions too."""
    first, second = parse_program(latex, notation="latex"), parse_program(plain)
    assert [show(node) for node in first.outputs] == [show(node) for node in second.outputs]
    assert named(first) == named(second)
    assert (first.output_name, first.shapes) == (second.output_name, second.shapes)


@pytest.mark.parametrize(
    "text, message",
    [
        (r"c(a+b)", "c(…) read as c × (…)"),
        (r"\begin{cases} x & x > 0 \\ 0 & x \le 0 \end{cases}", "the last case is taken wherever no other is"),
        (r"W^T x", "^T read as the transpose"),
        (r"a/b c", "a/b c read as (a/b)·c"),
        (r"\sin 2x", r"\sin 2x read as sin(2x)"),
        (r"u(v(x))", "u(…) read as a function nobody wrote down"),
    ],
)
def test_what_could_be_read_otherwise_leaves_a_notice(text: str, message: str) -> None:
    """As in plain text."""
    assert message in [notice.message for notice in parse_program(text, notation="latex").notices]


def test_products_are_open_until_shapes_are_known() -> None:
    r"""Side by side and \cdot; \odot is elementwise for good."""
    for text, count in [(r"a b \cdot c", 2), (r"a \odot b", 0), (r"a \times b", 1), (r"W {} x", 0), ("2x", 0)]:
        assert len(parse_program(text, notation="latex").open_products) == count
    assert parse_program("a b").open_products == frozenset()


def test_there_are_two_notations() -> None:
    """And no third."""
    with pytest.raises(ValueProblem, match="there is no notation 'mathml'"):
        parse_program("x", notation="mathml")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name",
    "x x_1 x_12 x_1_2 x_ab S_bar x_1_bar x_bar_1 x_bar_hat x_1_bar_2_hat_3 x_bar_2_hat x_bar_bar alpha x_alpha alpha_1 "
    "W_Q x' x_1' S_bar' x_1_bar'' loss d_model alpha1 e_bar_2' h_1a sin1 Alpha".split(),
)
def test_a_name_is_written_and_read_again(name: str) -> None:
    """The two tables are each other's inverse."""
    latex = name_latex(name)
    assert NameReader(latex).read(0) == (name, len(latex))
