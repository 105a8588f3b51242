"""Rung 4: computational graphs. Forward, backward, and what adding up gradients wrongly does."""

from __future__ import annotations

from typing import Any

from graphlab.lessons.controls import Choose, Settings, Slider
from graphlab.lessons.findings import Findings, Quantity, Table
from graphlab.lessons.laboratories.accumulation import accumulate, overwrite, recurse, twice
from graphlab.lessons.lesson import Choice, Experiment, Lesson, Question, Screen, Walk
from graphlab.tracing.words import show_name

LECTURE = Walk(program="d = 2b; e = a+d; L = c*e", values={"a": 3, "b": 1, "c": -2})
ASKING = Walk(program="d = 2b; e = a+d; L = c*e", values={"a": 5, "b": 3, "c": -4})
SHARED = Walk(program="d = 2a; L = d*(d+1)", values={"a": 3})
ALL = "all three"


def move(settings: Settings) -> Findings:
    """What the slopes promise for a move, and what L really does; and the laboratory of four orders."""
    moved, by = settings["moved"], settings["by"]
    true, promised = changes(list(LECTURE.values) if moved == ALL else [moved], by)
    all_true, all_promised = changes(list(LECTURE.values), by)
    return Findings(
        {
            "change": Quantity("L really changes by", true),
            "promise": Quantity("slope · change promises", promised),
            "slope": Quantity("∂L/∂b", LECTURE.graph.gradients(LECTURE.values)["b"]),
            "change_all": Quantity("All three moved: L changes by", all_true),
            "promise_all": Quantity("All three moved: the slopes promise", all_promised),
            **totals(),
        },
        (laboratory(),),
    )


def changes(names: list[str], by: float) -> tuple[float, float]:
    """The true change of L when these inputs move, and what their slopes promise."""
    at, slopes = dict(LECTURE.values), LECTURE.graph.gradients(LECTURE.values)
    moved = {name: value + by if name in names else value for name, value in at.items()}
    true = LECTURE.graph.evaluate(moved) - LECTURE.graph.evaluate(at)
    return true, sum(slopes[name] * by for name in names)


# ---- the laboratory --------------------------------------------------------------------------------------------------
def orders() -> dict[str, tuple[str, dict[str, float]]]:
    """Ways to add up the gradients of d = 2a, L = d(d+1): what each is called, and the gradient of every node."""
    trace = SHARED.trace
    return {
        "right": ("+= in order", accumulate(trace)),
        "overwritten": ("= for +=", overwrite(trace)),
        "recursive": ("sent on at once", recurse(trace)),
        "leaf_twice": ("twice, a not cleared", twice(trace, only_inputs=True)),
        "all_twice": ("twice, nothing cleared", twice(trace, only_inputs=False)),
    }


def totals() -> dict[str, Quantity]:
    """What arrives at a in each order."""
    leaf = SHARED.id_of("a")
    return {key: Quantity(f"∂L/∂a, {title}", found[leaf], in_view=True) for key, (title, found) in orders().items()}


def laboratory() -> Table:
    """The orders side by side, node by node as the gradient travels; the first wrong node of each is marked."""
    trace, columns = SHARED.trace, orders()
    nodes = [node for node in reversed(trace.forward_nodes) if node.role != "constant"]
    right = columns["right"][1]
    rows: list[list[Any]] = [
        [f"∂L/∂{show_name(node.name)}", *(found[node.id] for _, found in columns.values())] for node in nodes
    ]
    wrong = [[found[node.id] != right[node.id] for node in nodes] for _, found in columns.values()]
    marked = frozenset((flags.index(True), column) for column, flags in enumerate(wrong, start=1) if any(flags))
    titles = ["", *(title for title, _ in columns.values())]
    return Table("d = 2a, L = d(d + 1): the first wrong node is marked", titles, rows, marked)


LESSON = Lesson(
    key="4",
    title="Computational graphs",
    says="Every formula is a graph: numbers go forward along its edges, and how fast $L$ changes comes back along the "
    "same edges.",
    needs=(),
    symbols={
        "a, b, c": "inputs; c is no class here",
        "d, e": "nodes in between; e is no Euler number",
        "L": "the output",
    },
    predict=Question(
        "$a = 3$, $b = 1$, $c = -2$ give $L = c\\,(a + 2b) = -10$. Now $b$ grows by 0.1. What happens to $L$?",
        (
            Choice(
                "It grows by 0.2",
                "d = 2b does grow by that; but then it is multiplied by c, so L changes by [[change]].",
                tempting=True,
            ),
            Choice(
                "It falls by 0.4",
                "Yes: the slope of L at b is [[slope]], and a tenth of that is [[change]].",
                right=True,
            ),
            Choice("It falls by 0.2", "That would be c alone. Every b counts twice in d, so L changes by [[change]]."),
        ),
    ),
    experiment=Experiment(
        question="Move an input and compare what L does with what its slope promises. When are the two equal?",
        controls={
            "moved": Choose("Moved", "b", ("a", "b", "c", ALL)),
            "by": Slider("by", 0.1, -2.0, 2.0, 0.1),
        },
        run=move,
        expect=(
            "change",
            "promise",
            "change_all",
            "promise_all",
            "right",
            "overwritten",
            "recursive",
            "leaf_twice",
            "all_twice",
        ),
    ),
    screens=(
        Screen(
            title="Forward and backward",
            says="Three numbers go in. Each step uses what is there already; on the way back each edge sends *upstream "
            "times local derivative*.",
            walk=LECTURE,
            formulas=("forward", "b"),
        ),
        Screen(
            title="Your turn",
            says="Other numbers, so that no wrong rule gives a right answer.",
            walk=ASKING,
            formulas=("forward", "backward"),
            blanks=("d", "e", "L", "L_bar", "c_bar", "e_bar", "a_bar", "d_bar", "b_bar"),
        ),
        Screen(
            title="One node used twice",
            says="$d$ is used by two nodes. Both send something back, and $d$ adds before it sends anything on.",
            walk=SHARED,
            formulas=("forward", "backward"),
            blanks=("d_bar", "a_bar"),
        ),
    ),
    why=Question(
        "A node is used twice. Why are its two contributions added?",
        (
            Choice(
                "L feels a change of the node along both ways, one on top of the other",
                "Yes: small changes add.",
                right=True,
            ),
            Choice(
                "Because gradients are averaged over the uses",
                "Then using something twice would not matter more than once.",
                tempting=True,
            ),
            Choice("The later one replaces the earlier one", "That is = for +=: it forgets one of the two ways."),
        ),
    ),
)
