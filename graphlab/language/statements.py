"""Tokens → statements: a formula, `name = formula`, `name(inputs) = formula`, or the declared shape `name: (n, d)`.

Statements end with a line or a semicolon outside brackets. Brackets are matched here, once, so that one never closed is
reported where it was opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from graphlab.engine.shapes import Dim, Shape
from graphlab.errors import LimitError, ParseError
from graphlab.language import limits
from graphlab.language.tokens import Token

CLOSES = {")": "(", "]": "[", "}": "{"}
CLOSED_BY = {opening: closing for closing, opening in CLOSES.items()}


@dataclass(frozen=True, slots=True, eq=False)
class Formula:
    """`target = formula`, `target(parameters) = formula`, or a bare formula. `tokens` are its own, with an "end"."""

    target: Token | None
    parameters: tuple[str, ...] | None
    tokens: Sequence[Token]

    @property
    def name(self) -> str:
        """The name on the left, "" for a bare formula."""
        return self.target.text if self.target else ""

    @property
    def position(self) -> int:
        """Where the statement starts."""
        return (self.target or self.tokens[0]).position

    @property
    def is_definition(self) -> bool:
        """Whether this defines a function."""
        return self.parameters is not None


@dataclass(frozen=True, slots=True, eq=False)
class Declaration:
    """`target: shape`."""

    target: Token
    shape: Shape


Statement = Formula | Declaration


def read_statements(tokens: Iterable[Token]) -> list[Statement]:
    """The statements of a program, in order.

    Raises ParseError for brackets that do not match and for what stands left of = or right of a colon wrongly.
    """
    return [read_statement(part) for part in split(tokens)]


def split(tokens: Iterable[Token]) -> list[list[Token]]:
    """The tokens of each statement that is not empty."""
    parts: list[list[Token]] = [[]]
    opened: list[Token] = []
    for token in tokens:
        if token.kind in CLOSED_BY:
            opened.append(token)
        elif token.kind in CLOSES:
            close(token, opened)
        if token.kind != ";":
            parts[-1].append(token)
        elif not opened:
            parts.append([])
        elif token.text != "\n":
            raise ParseError(
                f"the {opened[-1].text} here is still open at {'a semicolon' if token.text == ';' else token.text}",
                hint=f"Close it with {CLOSED_BY[opened[-1].kind]} first.",
                position=opened[-1].position,
            )
    if opened:
        last = opened[-1]
        raise ParseError(f"missing {CLOSED_BY[last.kind]} for the {last.text} here", position=last.position)
    found = [part for part in parts if part]
    if len(found) > limits.STATEMENTS:
        raise LimitError(
            f"a program has at most {limits.STATEMENTS:,} statements", position=found[limits.STATEMENTS][0].position
        )
    return found


def close(token: Token, opened: list[Token]) -> None:
    """Take the bracket that `token` closes off `opened`."""
    if not opened:
        raise ParseError(f"there is no {CLOSES[token.kind]} for this {token.text}", position=token.position)
    last = opened.pop()
    if last.kind != CLOSES[token.kind]:
        raise ParseError(
            f"missing {CLOSED_BY[last.kind]} for the {last.text} here: {token.text} comes first", position=last.position
        )


def read_statement(part: list[Token]) -> Statement:
    """One statement, by how it starts."""
    first = part[0]
    stop = Token("end", "", part[-1].stop, part[-1].stop)
    second = part[1].kind if len(part) > 1 else "end"
    if first.kind != "name":
        return Formula(None, None, [*part, stop])
    if second == ":":
        return Declaration(first, read_shape(part[2:], stop))
    if second == "=":
        return Formula(first, None, [*part[2:], stop])
    equals = definition_equals(part)
    if equals:
        return Formula(first, read_parameters(part[2 : equals - 1], first), [*part[equals + 1 :], stop])
    return Formula(None, None, [*part, stop])


def definition_equals(part: list[Token]) -> int:
    """Where the = of `name(…) =` stands, 0 if this is something else."""
    if len(part) > 1 and part[1].kind == "(":
        for index, token in enumerate(part):
            if token.kind == ")":
                return index + 1 if index + 1 < len(part) and part[index + 1].kind == "=" else 0
    return 0


def read_parameters(between: Sequence[Token], name: Token) -> tuple[str, ...]:
    """The inputs of a definition: different names with commas between them."""
    names = [token.text for token in between[::2]]
    for index, token in enumerate(between):
        if token.kind != ("," if index % 2 else "name"):
            raise ParseError(
                f"the inputs of {name.text} must be names, as in {name.text}(x, y) = …",
                hint="To assign a number, write a name alone on the left: y = 3.",
                position=token.position,
            )
        if index % 2 == 0 and token.text in names[: index // 2]:
            raise ParseError(f"the input {token.text} of {name.text} is there twice", position=token.position)
    if len(between) % 2 == 0:
        raise ParseError(
            f"{name.text} needs the name of an input between its brackets",
            hint=f"A value without inputs is written {name.text} = …",
            position=between[-1].position if between else name.stop,
        )
    return tuple(names)


def read_shape(tokens: Sequence[Token], end: Token) -> Shape:
    """A shape as it is declared: (n, d), (3,), ()."""
    hint = "A shape is written X: (n, d); a vector's is (n,), a scalar's ()."
    if not tokens or tokens[0].kind != "(" or tokens[-1].kind != ")":
        raise ParseError("a shape must follow the colon", hint=hint, position=(tokens[0] if tokens else end).position)
    dims: list[Dim] = []
    for index, token in enumerate(tokens[1:-1]):
        if index % 2:
            if token.kind != ",":
                raise ParseError("the sizes of a shape have commas between them", hint=hint, position=token.position)
        elif token.kind == "name":
            dims.append(token.text)
        elif token.kind == "number" and token.text.isdigit() and int(token.text) > 0:
            dims.append(int(token.text))
        else:
            raise ParseError("a size is a name or a whole number above 0", hint=hint, position=token.position)
    if len(dims) > limits.RANK:
        raise LimitError(f"an array has at most {limits.RANK} axes", position=tokens[0].position)
    return tuple(dims)
