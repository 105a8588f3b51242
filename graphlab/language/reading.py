"""Call or product? What each name of a program is, from everything the program says about it.

`c(a+2b)` is a product and `sin(x)` a call. The rules, in this order, for a name before a bracket:

1. a function the learner defines, `f(x) = …`, is a call; so is a known function;
2. a name that is assigned, declared or has a value is a factor;
3. a name the caller passes as a function is a call;
4. f g F G φ ψ, and u v w h used like functions, are calls of abstract functions: nobody wrote them down. f′ is the
   derivative of f;
5. a name nearly spelled like a known function is an error;
6. everything else is a factor.

Where a learner may have meant the other reading, a Notice says how it was read and how to flip it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from graphlab.errors import ParseError, UnknownName, ValueProblem
from graphlab.language.names import nearest
from graphlab.language.statements import Declaration, Formula, Statement
from graphlab.language.tokens import Token
from graphlab.language.vocabulary import NUMBER_LETTERS, function_called, function_names, is_letter

ALWAYS_ABSTRACT = frozenset({"f", "g", "F", "G", "phi", "psi"})
ABSTRACT_IN_USE = frozenset({"u", "v", "w", "h"})
POSSIBLY_ABSTRACT = ALWAYS_ABSTRACT | ABSTRACT_IN_USE


@dataclass(frozen=True, slots=True)
class Notice:
    """A reading that the learner may flip.

    `position` is an offset in the source, `name` the name it concerns. `flip` is the option of parse and the name to
    put there for the other reading, such as ("functions", "c"), or ("stabilise", "no"); None where there is no other.
    """

    message: str
    position: int
    name: str | None = None
    flip: tuple[str, str] | None = None


class Reading:
    """The names of one program. `notices` collects how ambiguous ones were read, once per name."""

    def __init__(
        self,
        statements: Iterable[Statement],
        tokens: Sequence[Token],
        *,
        products: Collection[str],
        functions: Collection[str],
        values: Collection[str],
    ) -> None:
        self.assigned: dict[str, Token] = {}
        self.definitions: dict[str, Formula] = {}
        self.shapes: dict[str, Declaration] = {}
        for statement in statements:
            self._record(statement)
        self._check_roles(values)
        sizes = {dim for declared in self.shapes.values() for dim in declared.shape if isinstance(dim, str)}
        self.ordinary = frozenset({*self.assigned, *self.shapes, *sizes, *products, *values})
        self.named_functions = frozenset(functions) - self.ordinary
        self.abstract = find_abstract(tokens) - self.ordinary
        self.has_t = "T" in self.ordinary or any(
            token.text == "T" and token.kind == "name" and before.kind != "^"
            for before, token in zip([Token("end", "", 0, 0), *tokens], tokens, strict=False)
        )
        self.notices: list[Notice] = []
        self._noticed: set[str] = set()

    def _record(self, statement: Statement) -> None:
        target = statement.target
        if target is None:
            return
        name = target.text
        if isinstance(statement, Declaration):
            if name in self.shapes:
                raise ParseError(f"the shape of {name} is declared twice", position=target.position)
            self.shapes[name] = statement
        elif statement.is_definition:
            if name in self.definitions:
                raise ParseError(f"{name} is defined twice", position=target.position)
            self.definitions[name] = statement
        else:
            self.assigned.setdefault(name, target)

    def _check_roles(self, values: Collection[str]) -> None:
        for name, declared in self.shapes.items():
            if name in self.assigned:
                raise ParseError(
                    f"{name} is computed, so its shape follows from its formula",
                    hint="Declare the shapes of inputs only.",
                    position=declared.target.position,
                )
        for name, definition in self.definitions.items():
            other = self.assigned.get(name) or (self.shapes[name].target if name in self.shapes else None)
            if other is not None:
                raise ParseError(
                    f"{name} is a value here and a function elsewhere",
                    hint="Give one of them another name.",
                    position=other.position,
                )
            if name in values:
                raise ValueProblem(
                    f"{name} is defined as a function, so it takes no value",
                    hint=f"Leave out the value of {name}, or rename the function.",
                    position=definition.position,
                )

    # ---- a name before a bracket -----------------------------------------------------------------------------------
    def is_call(self, name: Token, parameters: Collection[str]) -> bool:
        """Whether `name(` calls a function. `parameters` are the inputs of the definition it stands in.

        Raises UnknownName for a misspelt function, ParseError for f′(…) where f has a formula.
        """
        word = name.text
        ordinary = word in parameters or word in self.ordinary
        if word in self.definitions and not ordinary:
            self._notice(name, f"{word}(…) read as your function {word}", ("products", word))
            return True
        if function_called(word):
            return True
        if ordinary:
            return False
        function = word.rstrip("'")
        if function != word and (function in self.definitions or function_called(function)):
            raise computed_here(name, function)
        if function in self.named_functions or function in self.abstract:
            self._notice(name, f"{function}(…) read as a function nobody wrote down", ("products", function))
            return True
        if len(word) > 1 and not is_letter(word) and (meant := nearest(word, function_names())):
            raise UnknownName(
                f"{word}: did you mean {meant}?", hint=f"For a product, write {word}*(…).", position=name.position
            )
        self._notice(name, f"{word}(…) read as {word} × (…)", ("functions", word))
        return False

    def _notice(self, name: Token, message: str, flip: tuple[str, str] | None) -> None:
        if message not in self._noticed:
            self._noticed.add(message)
            self.notices.append(Notice(message, name.position, name.text, flip))

    # ---- a name that stands alone ----------------------------------------------------------------------------------
    def is_function_alone(self, name: Token, parameters: Collection[str]) -> bool:
        """Whether a name without a bracket is a known function, as in `sin x`."""
        word = name.text
        if word in parameters or word in self.ordinary or is_letter(word):
            return False
        return function_called(word) is not None

    def check_value(self, name: Token, parameters: Collection[str]) -> None:
        """Raises ParseError if the name, standing alone, is one of the learner's functions."""
        if name.text in self.definitions and name.text not in self.ordinary and name.text not in parameters:
            raise ParseError(
                f"{name.text} is a function here", hint=f"Call it: {name.text}(…).", position=name.position
            )

    def is_number(self, name: Token, parameters: Collection[str], *, is_base: bool) -> bool:
        """Whether the name is e or pi, the numbers. `is_base`: it stands before ^, where e is hardly anything else."""
        word = name.text
        if word not in NUMBER_LETTERS or word in self.ordinary or word in parameters:
            return False
        if word == "e" and not is_base:
            self._notice(name, "e read as Euler's number, 2.718…", ("values", "e"))
        return True

    def is_transposing(self, name: Token, parameters: Collection[str]) -> bool:
        """Whether ^T is a transpose: only where the program has no T."""
        if self.has_t or "T" in parameters or name.text != "T" or name.kind != "name":
            return False
        self._notice(name, "^T read as the transpose", ("products", "T"))
        return True


def find_abstract(tokens: Sequence[Token]) -> frozenset[str]:
    """The names used as functions that nobody wrote down (rule 4): they only ever stand directly before a bracket.

    A name with primes, f′, counts as its function.
    """
    candidates: set[str] = set()
    elsewhere: set[str] = set()
    in_use: set[str] = set()
    around = [""]  # per open bracket, the innermost of u v w h it stands in
    caller = ""
    for index, token in enumerate(tokens):
        if token.kind in ("(", "["):
            around.append(caller or around[-1])
        elif token.kind in (")", "]"):
            around.pop()
        caller = ""
        word = token.text.rstrip("'")
        if token.kind != "name" or word not in POSSIBLY_ABSTRACT:
            continue
        following = tokens[index + 1 : index + 4]
        if not following or following[0].kind != "(" or following[0].position != token.stop:
            elsewhere.add(word)
            continue
        candidates.add(word)
        if word in ABSTRACT_IN_USE:
            caller = word
            if around[-1]:
                in_use |= {caller, around[-1]}
        if [t.kind for t in following[1:]] == ["name", ")"]:
            in_use.add(word)
    return frozenset((candidates & (ALWAYS_ABSTRACT | in_use)) - elsewhere)


def computed_here(name: Token, function: str) -> ParseError:
    """The error for f′(x) where f is known: derivatives are the answer, not the question."""
    return ParseError(
        f"{name.text}(…) is what graphlab computes",
        hint=f"Type {function}(…) and ask for its derivative.",
        position=name.position,
    )
