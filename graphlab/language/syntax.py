"""One precedence (Pratt) parser for all notations: the tokens of a formula → terms.

The parser recurses once per bracket, sign and exponent, which the nesting limit bounds; chains such as a+a are a loop.
It asks the `Reading` of the program what names are, and leaves notices there.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from graphlab.engine.notation import Prec
from graphlab.engine.ops import arithmetic, elementary, linalg
from graphlab.language import faults, limits
from graphlab.language.literals import option_value, read_array
from graphlab.language.reading import Notice, Reading, not_yet
from graphlab.language.terms import Array, Call, Name, Number, Operation, Term
from graphlab.language.tokens import Token
from graphlab.language.vocabulary import INFIX, is_planned


class Parser:
    """Reads one formula. `parameters` are the inputs of the definition it belongs to."""

    def __init__(
        self, tokens: Sequence[Token], reading: Reading, source: str, parameters: Collection[str] = ()
    ) -> None:
        self.tokens = tokens
        self.reading = reading
        self.source = source
        self.parameters = parameters
        self.index = 0
        self.level = 0
        self.bars = 0  # | that are open inside the innermost bracket

    def formula(self) -> Term:
        """The whole formula. Raises a GraphLabError with the position of what cannot be read."""
        term = self.expression(Prec.COMPARISON)
        self.expect("end")
        return term

    # ---- tokens ----------------------------------------------------------------------------------------------------
    @property
    def next(self) -> Token:
        return self.tokens[self.index]

    def peek(self, ahead: int) -> Token:
        return self.tokens[min(self.index + ahead, len(self.tokens) - 1)]

    def take(self) -> Token:
        token = self.tokens[self.index]
        self.index += 1
        return token

    def expect(self, kind: str) -> None:
        if self.next.kind != kind:
            raise self.unexpected()
        self.index += 1

    def unexpected(self) -> Exception:
        return faults.unexpected(self.next, self.tokens[self.index - 1] if self.index else None)

    def typed(self, start: int, stop: int) -> str:
        """What was typed from token number `start` up to `stop`, on one line; a long text by its end."""
        first, last = self.tokens[start].position, self.tokens[stop - 1].stop
        cut = max(first, last - 40)
        return ("…" if cut > first else "") + " ".join(self.source[cut:last].split())

    def notice(self, message: str, position: int) -> None:
        self.reading.notices.append(Notice(message, position))

    # ---- expressions -----------------------------------------------------------------------------------------------
    def expression(self, floor: Prec) -> Term:
        """As much as binds at least as tightly as `floor`."""
        start = self.index
        left = self.operand()
        last = ""
        while True:
            token = self.next
            if token.kind in INFIX:
                op, prec = INFIX[token.kind]
                if prec < floor:
                    return left
                self.index += 1
                if prec == Prec.POWER:
                    left = self.raise_to(left, token)
                elif prec == Prec.COMPARISON and last in INFIX and INFIX[last][1] == prec:
                    raise faults.chained_comparison(token)
                else:
                    left = Operation(token.position, op, (left, self.expression(Prec(prec + 1))))
            elif token.kind == "transpose":
                if isinstance(left, Number):
                    raise faults.transposed_number(token)
                self.index += 1
                left = Operation(token.position, linalg.transpose, (left,))
            elif self.starts_factor(token):
                if floor > Prec.PRODUCT:
                    return left
                middle = self.index
                left = Operation(token.position, arithmetic.mul, (left, self.factor(Prec.PREFIX)))
                if last == "/":
                    self.notice_quotient(start, middle)
            elif token.kind == "[":
                raise faults.indexing(token)
            else:
                return left
            last = token.kind

    def inner(self, floor: Prec) -> Term:
        """An expression one level further in."""
        self.level += 1
        if self.level > limits.NESTING:
            raise faults.too_deep(self.next)
        term = self.expression(floor)
        self.level -= 1
        return term

    def raise_to(self, base: Term, sign: Token) -> Term:
        """base^exponent. e^x is exp(x), and A^T a transpose where the program has no T."""
        if not isinstance(base, Number) and self.reading.is_transposing(self.next, self.parameters):
            self.index += 1
            return Operation(sign.position, linalg.transpose, (base,))
        exponent = self.inner(Prec.POWER)
        if isinstance(base, Number) and base.text == "e":
            return Operation(base.position, elementary.exp, (exponent,))
        return Operation(sign.position, arithmetic.pow, (base, exponent))

    def starts_factor(self, token: Token) -> bool:
        """Whether a factor follows that is multiplied on without a sign."""
        return token.kind in ("number", "name", "(", "‖") or (token.kind == "|" and not self.bars)

    def factor(self, floor: Prec) -> Term:
        """A factor that is multiplied on without a sign."""
        if self.next.kind == "number" and self.tokens[self.index - 1].kind == "number":
            raise faults.numbers_side_by_side(self.next)
        return self.expression(floor)

    def notice_quotient(self, start: int, middle: int) -> None:
        """1/2x is (1/2)·x."""
        whole, quotient, factor = (
            self.typed(*span) for span in ((start, self.index), (start, middle), (middle, self.index))
        )
        self.notice(f"{whole} read as ({quotient})·{factor}", self.tokens[start].position)

    # ---- operands --------------------------------------------------------------------------------------------------
    def operand(self) -> Term:
        """A number, name, call, bracket or array, with the signs before it."""
        token = self.take()
        if token.kind == "name":
            return self.name(token)
        if token.kind == "number":
            return Number(token.position, token.text)
        if token.kind == "(":
            return self.bracket(token)
        if token.kind == "-":
            return self.minus(token)
        if token.kind == "+":
            return self.inner(Prec.PREFIX)
        if token.kind == "|":
            return self.between_bars(token)
        if token.kind == "[":
            rows, self.index = read_array(self.tokens, self.index - 1)
            return Array(token.position, rows)
        if token.kind == "‖":
            raise not_yet("norm", token)
        self.index -= 1
        raise self.unexpected()

    def minus(self, sign: Token) -> Term:
        """A minus directly before a number belongs to it, except before ^."""
        if self.next.kind == "number" and self.peek(1).kind != "^":
            return Number(sign.position, "-" + self.take().text)
        return Operation(sign.position, arithmetic.neg, (self.inner(Prec.PREFIX),))

    def bracket(self, opening: Token) -> Term:
        """( … )."""
        if self.next.kind == ")":
            raise faults.empty_brackets(opening)
        bars, self.bars = self.bars, 0
        term = self.inner(Prec.COMPARISON)
        self.bars = bars
        if self.next.kind == ",":
            raise faults.list_in_brackets(self.next, opening, self.tokens)
        self.expect(")")
        return term

    def between_bars(self, opening: Token) -> Term:
        """|x|. A bar where an operand must stand opens, any other bar closes what is open."""
        start = self.index - 1
        self.bars += 1
        term = self.inner(Prec.COMPARISON)
        self.bars -= 1
        if self.next.kind in ("end", ")", "]"):
            raise faults.open_bar(opening)
        self.expect("|")
        if isinstance(term, Operation) and term.op is elementary.abs and self.tokens[start + 1].kind == "|":
            inside = self.typed(start + 2, self.index - 2)
            self.notice(f"||{inside}|| read as the absolute value of |{inside}|, not as a norm", opening.position)
        return Operation(opening.position, elementary.abs, (term,))

    # ---- names and calls -------------------------------------------------------------------------------------------
    def name(self, name: Token) -> Term:
        """A call, a function applied without brackets, a number with a name, or a value."""
        if self.next.kind == "(":
            if self.reading.is_call(name, self.parameters):
                return self.call(name)
        elif self.reading.is_function_alone(name, self.parameters):
            return self.application(name)
        elif self.starts_argument() and is_planned(name.text) and name.text not in self.reading.ordinary:
            raise not_yet(name.text, name)
        if self.reading.is_number(name, self.parameters, is_base=self.next.kind == "^"):
            return Number(name.position, name.text)
        self.reading.check_value(name, self.parameters)
        return Name(name.position, name.text)

    def call(self, name: Token) -> Term:
        """name(input, …, option=value, …)."""
        self.index += 1
        bars, self.bars = self.bars, 0
        inputs: list[Term] = []
        options: dict[str, tuple[object, int]] = {}
        while self.next.kind != ")":
            if self.next.kind == "name" and self.peek(1).kind == "=":
                self.option(options)
            elif options:
                raise faults.input_after_option(name, self.next)
            else:
                inputs.append(self.inner(Prec.COMPARISON))
            if self.next.kind != ")":
                self.expect(",")
                if self.next.kind == ")":
                    raise self.unexpected()
        self.bars = bars
        self.index += 1
        return Call(name.position, name.text, tuple(inputs), options)

    def option(self, options: dict[str, tuple[object, int]]) -> None:
        """Read axis=0 into `options`."""
        option = self.take()
        if option.text in options:
            raise faults.option_twice(option)
        value, self.index = option_value(self.tokens, self.index + 1, option)
        options[option.text] = (value, option.position)

    def application(self, name: Token) -> Term:
        """sin x, log p, sin 2x, sin^2 x: the function takes all that is multiplied on without a sign."""
        start = self.index - 1
        exponent = self.function_exponent(name) if self.next.kind == "^" else None
        if self.next.kind == "(":
            term = self.call(name)
        elif self.starts_argument():
            term = Call(name.position, name.text, (self.factors(name, start),))
        else:
            raise faults.function_without_input(name)
        return Operation(name.position, arithmetic.pow, (term, exponent)) if exponent else term

    def function_exponent(self, name: Token) -> Number:
        """The 2 of sin^2 x."""
        sign, number = self.take(), self.take()
        if number.kind == "-" or (number.kind == "(" and self.next.kind == "-"):
            raise faults.inverse_or_reciprocal(name, sign)
        if number.kind != "number" or not number.text.isdigit() or not int(number.text):
            raise faults.function_exponent(name, number)
        return Number(number.position, number.text)

    def factors(self, name: Token, start: int) -> Term:
        """What a function without brackets is applied to."""
        first = self.index
        term = self.inner(Prec.PREFIX)
        several = False
        while self.starts_factor(self.next) and not self.next_is_function():
            position = self.next.position
            term = Operation(position, arithmetic.mul, (term, self.factor(Prec.PREFIX)))
            several = True
        if several:
            typed, argument = self.typed(start, self.index), self.typed(first, self.index)
            self.notice(f"{typed} read as {name.text}({argument})", name.position)
        return term

    def next_is_function(self) -> bool:
        return self.next.kind == "name" and self.reading.is_function_alone(self.next, self.parameters)

    def starts_argument(self) -> bool:
        """Whether what follows a function's name without a bracket can be its input."""
        return self.next.kind in ("number", "name") or (self.next.kind == "|" and not self.bars)
