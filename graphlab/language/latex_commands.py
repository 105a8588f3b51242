r"""The LaTeX commands that are one sign, or none; and what is said of any other."""

from __future__ import annotations

from graphlab.errors import ParseError
from graphlab.language.latex_blocks import BLOCKS, computed_here
from graphlab.language.latex_names import ACCENT_COMMANDS, GREEK_COMMANDS, STYLES, UPRIGHT
from graphlab.language.names import nearest
from graphlab.language.tokens import describe
from graphlab.language.vocabulary import function_names

COMMANDS = {  # a command that is one sign
    "cdot": "·", "times": "·", "ast": "·", "odot": "*", "circ": "*", "otimes": "⊗", "div": "/",
    "le": "<=", "leq": "<=", "leqslant": "<=", "ge": ">=", "geq": ">=", "geqslant": ">=", "lt": "<", "gt": ">",
    "ne": "!=", "neq": "!=", "vert": "|", "mid": "|", "Vert": "‖", "|": "‖", "{": "(", "}": ")", "colon": ":",
}  # fmt: skip
IGNORED = frozenset(
    "displaystyle textstyle limits nolimits nonumber notag quad qquad big Big bigg Bigg bigl bigr Bigl Bigr biggl "
    "biggr Biggl Biggr , ; : ! > ( ) [ ]".split()
) | {" ", "\n"}
HINTS = {
    "int": "There are no integrals here.",
    "oplus": r"Vectors side by side are written \operatorname{concat}(a, b).",
    "dots": "Write every term out, or a sum with a range.",
    "ldots": "Write every term out, or a sum with a range.",
    "cdots": "Write every term out, or a sum with a range.",
    "pm": "Write two formulas.",
    "infty": "Only finite numbers can be typed.",
}
PRODUCTS = frozenset("*×·⋅∙∗")  # signs of a product whose kind the shapes decide


def unknown_command(name: str, start: int) -> ParseError:
    r"""The error for \name, with the command that may be meant."""
    if name in ("partial", "nabla"):
        return computed_here(start)
    known = [*COMMANDS, *GREEK_COMMANDS, *ACCENT_COMMANDS, *STYLES, *UPRIGHT, *BLOCKS, *function_names()]
    hint = HINTS.get(name)
    if hint is None and (meant := nearest(name, known)):
        hint = rf"Did you mean \{meant}?"
    shown = name if name.isalpha() else describe(name)
    return ParseError(rf"\{shown:.40} is not a command graphlab reads", hint=hint, position=start)


def unreadable(piece: str, start: int) -> ParseError:
    """The error for a character that starts nothing."""
    if piece == "}":
        return ParseError("there is no { for this }", position=start)
    hints = {
        "_": "An index follows a letter: x_1. A function has none.",
        "'": "A prime follows the name it belongs to: x'.",
    }
    return ParseError(f"{describe(piece)} cannot stand here", hint=hints.get(piece), position=start)
