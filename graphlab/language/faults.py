"""What the parser says about a formula it cannot read: one function per fault, each returns the error to raise."""

from __future__ import annotations

from collections.abc import Sequence

from graphlab.errors import LimitError, ParseError, UnknownName
from graphlab.language import limits
from graphlab.language.tokens import Token
from graphlab.language.vocabulary import INFIX

COMMA = "a comma stands only between the inputs of a function and inside [ ]"
COMMA_HINT = "A vector is written [1, 2, 3]. A decimal point is a dot."
AWAITING = frozenset(INFIX) | {"(", "[", "{", ",", "|"}  # after these, something must follow


def unexpected(token: Token, before: Token | None) -> ParseError:
    """A token that cannot stand where it stands, after `before` (None: at the start)."""
    hint = None
    if token.kind in ("end", ")", "]", "}", ",") and (before is None or before.kind in AWAITING):
        message = f"something must follow {before.text if before else '='}"
    elif token.kind == "=":
        message = "= cannot stand here"
        hint = "Only a name, or a function such as f(x), can stand left of =. To compare, write ==."
    elif token.kind == ",":
        message, hint = COMMA, COMMA_HINT
    elif token.kind == ":":
        message = "a colon follows only a name whose shape is declared"
        hint = "For example X: (n, d)."
    elif token.kind in INFIX:
        message = f"{token.text} needs something on its left"
    else:
        message = f"{token.text} cannot stand here"
    return ParseError(message, hint=hint, position=token.position)


def list_in_brackets(comma: Token, opening: Token, tokens: Sequence[Token]) -> ParseError | UnknownName:
    """(a, b): no value, or a call of something that is not a function."""
    at = next(index for index, token in enumerate(tokens) if token is opening)
    name = tokens[at - 1]
    if not at or name.kind != "name" or name.stop != opening.position:
        return ParseError(COMMA, hint=COMMA_HINT, position=comma.position)
    sign = next((sign for sign, (op, _) in INFIX.items() if op.name == name.text), None)
    return UnknownName(
        f"{name.text} is not a function graphlab knows",
        hint=f"Write a {sign} b." if sign else f"Define it: {name.text}(x, y) = …",
        position=name.position,
    )


def too_deep(token: Token) -> LimitError:
    return LimitError(
        f"brackets, signs and exponents are nested more than {limits.NESTING} deep",
        hint="Give the inner part a name on a line of its own.",
        position=token.position,
    )


def chained_comparison(sign: Token) -> ParseError:
    """a < b < c."""
    return ParseError(
        "compare two values at a time",
        hint="Instead of a < b < c write where(a < b, where(b < c, …, …), …).",
        position=sign.position,
    )


def numbers_side_by_side(second: Token) -> ParseError:
    """2 3, also 1..2."""
    return ParseError(
        "two numbers stand side by side",
        hint="Write the sign between them, or one decimal point.",
        position=second.position,
    )


def transposed_number(sign: Token) -> ParseError:
    """x^2.T."""
    return ParseError("a number has no transpose", hint="To transpose a power, write (A^2).T.", position=sign.position)


def uneven_rows(opening: Token) -> ParseError:
    """[[a, b], [c]]."""
    return ParseError("the rows of a matrix must have the same length", position=opening.position)


def no_index(bracket: Token) -> ParseError:
    """2 [0], c [1, 2]."""
    return ParseError(
        "[ cannot stand here",
        hint="A row is written x[0], a product with a vector c*[1, 2].",
        position=bracket.position,
    )


def several_indices(comma: Token) -> ParseError:
    """x[0, 1]."""
    return ParseError("one number at a time stands in [ ]", hint="Write x[0][1].", position=comma.position)


def empty_brackets(opening: Token) -> ParseError:
    """()."""
    return ParseError("there is nothing between these brackets", position=opening.position)


def open_bar(opening: Token) -> ParseError:
    """|x without its second bar, or ‖x."""
    return ParseError(f"missing {opening.text} for the {opening.text} here", position=opening.position)


def option_twice(option: Token) -> ParseError:
    return ParseError(f"{option.text} is there twice", position=option.position)


def input_after_option(name: Token, token: Token) -> ParseError:
    """sum(axis=0, x)."""
    return ParseError("inputs come before options", hint=f"Write {name.text}(x, axis=0).", position=token.position)


def function_without_input(name: Token) -> ParseError:
    """sin + 1."""
    return ParseError(f"{name.text} is a function", hint=f"Say of what: {name.text}(x).", position=name.position)


def inverse_or_reciprocal(name: Token, sign: Token) -> ParseError:
    """sin^-1 x."""
    inverse = f", the inverse a{name.text}(x)" if name.text in ("sin", "cos", "tan") else ""
    return ParseError(
        f"{name.text}^-1 can mean the inverse function or the reciprocal",
        hint=f"The reciprocal is written 1/{name.text}(x){inverse}.",
        position=sign.position,
    )


def function_exponent(name: Token, exponent: Token) -> ParseError:
    """sin^n x."""
    return ParseError(
        f"only a whole number can stand between {name.text} and its input",
        hint=f"Write {name.text}(x)^n.",
        position=exponent.position,
    )
