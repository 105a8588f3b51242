"""Rung 5: the chain rule. Where each factor is taken, why they are multiplied along a path, and paths added."""

from __future__ import annotations

from functools import cache

import graphlab as gl
from graphlab.lessons.controls import Choose, Settings, Slider
from graphlab.lessons.findings import Findings, Formula, Quantity, Table
from graphlab.lessons.lesson import Choice, Experiment, Lesson, Question, Screen, Walk
from graphlab.tracing.numbers import show_number

FORMULAS = {"t²": "t^2", "3t + 1": "3t + 1", "√t": "sqrt(t)", "1/t": "1/t", "tanh t": "tanh(t)"}
FUNCTIONS = {title: gl.parse(f"y = {formula}") for title, formula in FORMULAS.items()}
ABSTRACT = gl.parse("f = u(v(w(x)))")
NUDGE_STEPS = 1e-5
TWO_WAYS = Walk(program="a = x^2; b = 4x; f = a*b", values={"x": 3})


def compare(settings: Settings) -> Findings:
    """The slope of u(v(w(x))): measured, by the chain rule, by two wrong rules; and the paths that doubling makes."""
    x, names = settings["x"], [settings[letter] for letter in "wvu"]
    w_of, v_of, u_of = (FUNCTIONS[name] for name in names)
    w = w_of.evaluate(t=x)
    v = v_of.evaluate(t=w)
    right, at_x = (product(factors) for factors in (slopes(names, (x, w, v)), slopes(names, (x, x, x))))
    return Findings(
        {
            "w": Quantity("w(x)", w),
            "v": Quantity("v(w(x))", v),
            "f": Quantity("f(x)", u_of.evaluate(t=v)),
            "measured": Quantity("Nudge x: f changes … times as much", measured(names, x)),
            "right": Quantity("Each taken at its own input, multiplied", right),
            "at_x": Quantity("All taken at x, multiplied", at_x),
            "added": Quantity("Each at its own input, added", sum(slopes(names, (x, w, v)))),
            **doubled(settings["times"]),
        },
        (factor_table(names, (x, w, v)),),
    )


def slopes(names: list[str], points: tuple[float, ...]) -> list[float]:
    """The derivative of each function at its point."""
    return [FUNCTIONS[name].gradients(t=point)["t"] for name, point in zip(names, points, strict=True)]


def product(factors: list[float]) -> float:
    first, second, third = factors
    return first * second * third


def measured(names: list[str], x: float) -> float:
    """How much f changes per change of x, without any rule."""
    inner, middle, outer = (FORMULAS[name] for name in names)
    f = ABSTRACT.define(w=inner, v=middle, u=outer)
    above, below = f.evaluate(x=x + NUDGE_STEPS), f.evaluate(x=x - NUDGE_STEPS)
    return float((above - below) / (NUDGE_STEPS + NUDGE_STEPS))


def factor_table(names: list[str], points: tuple[float, ...]) -> Table:
    """Every function with the number that it gets, and its derivative there and at x."""
    x = points[0]
    there, at_x = slopes(names, points), slopes(names, (x, x, x))
    inputs = ("x", "w(x)", "v(w(x))")
    rows = [
        [f"{letter}(t) = {name}", f"{at} = {show_number(point)}", slope, wrong]
        for letter, name, at, point, slope, wrong in zip("wvu", names, inputs, points, there, at_x, strict=True)
    ]
    titles = ["Function", "It is given", "Its derivative there", "Its derivative at x"]
    column = titles.index("Its derivative there")
    moved = frozenset((i, column) for i, (slope, wrong) in enumerate(zip(there, at_x, strict=True)) if slope != wrong)
    return Table("Three factors; marked where the place makes a difference", titles, rows, moved)


def doubled(times: int) -> dict[str, Quantity]:
    """What x ← x + x, again and again, costs by paths and by edges."""
    paths, edges = paths_and_edges(int(times))
    return {
        "paths": Quantity("x ← x + x: paths from x to the end", f"{paths:,}"),
        "contributions": Quantity("Contributions of one backward pass", f"{edges:,}"),
    }


@cache
def paths_and_edges(times: int) -> tuple[int, int]:
    x = gl.variable("x")
    y = x
    for _ in range(times):
        y = y + y
    graph = gl.graph(f=y)
    return graph.count_paths("x"), sum(step.kind == "edge" for step in graph.trace(x=1).steps)


def abstractly() -> Findings:
    """The rule before anybody says what u, v and w are, and after one choice."""
    chosen = ABSTRACT.define(w="t^2")
    return Findings(
        views=(
            Formula("Three functions, one inside the other", ABSTRACT.latex),
            Formula("The chain rule", rf"f'(x) = {ABSTRACT.derivative('x').latex}"),
            Formula("With w(t) = t², and the other two still open", rf"f'(x) = {chosen.derivative('x').latex}"),
        )
    )


def ways() -> Findings:
    """Every path of the two-way graph with its product."""
    paths = TWO_WAYS.graph.paths("x", TWO_WAYS.values)
    rows = [[" → ".join(p.nodes), " · ".join(map(show_number, p.factors)), show_number(p.product)] for p in paths]
    total = TWO_WAYS.graph.gradients(TWO_WAYS.values)["x"]
    rows.append(["added", " + ".join(show_number(p.product) for p in paths), show_number(total)])
    return Findings(views=(Table("Along a path: multiply. Over the paths: add.", ["Path", "Factors", "Gives"], rows),))


LESSON = Lesson(
    key="5",
    title="The chain rule",
    says="One function inside another: $f(x) = u(v(w(x)))$. A small change of $x$ is stretched three times, by $w'$, "
    "by $v'$ and by $u'$, so the three slopes are multiplied: "
    "${\\frac{df}{dx} = \\frac{du}{dv} \\cdot \\frac{dv}{dw} \\cdot \\frac{dw}{dx}}$.",
    needs=("4",),
    symbols={
        "u(·), v(·), w(·)": "functions here, no vectors and no weights; in the steps w and v are the numbers they give",
        "u′": "the derivative of u, itself a function: it has to be taken somewhere",
        "d in df/dx": "the sign of a derivative; elsewhere d is a node or a size",
    },
    predict=Question(
        "$w(t) = t^2$, $v(t) = 3t + 1$, $u(t) = \\sqrt{t}$, and $x = 1$. The chain rule multiplies the three "
        "derivatives. At which number is $u'$ taken?",
        (
            Choice(
                "At x, which is 1, like the other two",
                "With all three at x the product is [[at_x]]; but nudge x, and f moves [[measured]] times as much. "
                "u never meets x: it is given v(w(x)) = [[v]], so that is where its slope counts.",
                tempting=True,
            ),
            Choice(
                "At v(w(x)), which is 4",
                "Yes: that is the number that u is given. The product is [[right]], and so much f really moves.",
                right=True,
            ),
            Choice(
                "At f(x), which is 2",
                "That is what u gives back. Its slope is taken at what goes in: [[v]]. Together that makes [[right]].",
            ),
        ),
    ),
    experiment=Experiment(
        question="Pick three functions and move $x$. Which rule always agrees with the nudge? Then double: how many "
        "paths are there, and how many contributions does one backward pass need?",
        controls={
            "x": Slider("x", 1.0, 0.5, 2.0, 0.1),
            "w": Choose("w, the innermost", "t²", tuple(FORMULAS)),
            "v": Choose("v", "3t + 1", tuple(FORMULAS)),
            "u": Choose("u, the outermost", "√t", tuple(FORMULAS)),
            "times": Slider("How often x ← x + x", 20, 1, 20, 1),
        },
        run=compare,
        expect=("v", "measured", "right", "at_x", "added", "paths", "contributions"),
    ),
    screens=(
        Screen(
            title="Functions without a formula",
            says="The rule holds whatever $u$, $v$ and $w$ are. Read it from the right: first $w'$ at $x$, then $v'$ "
            "at what $w$ gave, then $u'$ at what $v$ gave.",
            show=abstractly,
        ),
        Screen(
            title="One path",
            says="Forward, every step keeps its number. Backward, every slope is taken at that number, and each node's "
            "gradient is the product so far.",
            walk=Walk(program="w = x^2; v = 3w + 1; f = sqrt(v)", values={"x": 4}),
            formulas=("forward", "backward"),
            blanks=("w", "v", "f", "v_bar", "w_bar", "x_bar"),
        ),
        Screen(
            title="Two paths",
            says="$x$ reaches $f$ through $a$ and through $b$. Each path has its product, and $f$ feels both: "
            "they add.",
            walk=TWO_WAYS,
            formulas=("forward", "backward"),
            blanks=("a_bar", "b_bar", "x_bar"),
            show=ways,
        ),
        Screen(
            title="Doubling",
            says="Each node is used twice by the next, so every step doubles the number of paths. Backward never walks "
            "them one by one: a node adds what arrives, and sends it on once per edge.",
            walk=Walk(program="a = x + x; b = a + a; f = b + b", values={"x": 3}),
            formulas=("forward", "backward"),
            blanks=("b_bar", "a_bar", "x_bar"),
        ),
    ),
    why=Question(
        "There are [[paths]] paths, and the gradient is the sum over all of them. Why does the backward pass need only "
        "[[contributions]] contributions?",
        (
            Choice(
                "Each node adds up what arrives before it sends anything on, so each edge is used once",
                "Yes: all paths that share their end are added before their common beginning is walked.",
                right=True,
            ),
            Choice(
                "Most paths are so small that they can be left out",
                "None is left out: each of them counts as much as any other, and the result is exact.",
                tempting=True,
            ),
            Choice(
                "It only follows the longest path",
                "Here all paths are equally long, and all of them count.",
            ),
        ),
    ),
    recall="4",
)
