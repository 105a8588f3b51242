"""One precedence (Pratt) parser for both notations: the tokens of a formula → terms.

The parser recurses once per bracket, sign and exponent, which the nesting limit bounds; chains such as a+a are a loop.
It asks the `Reading` of the program what names are, and leaves notices there.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from graphlab.engine.notation import Prec
from graphlab.engine.ops import arithmetic, elementary, linalg
from graphlab.language import faults
from graphlab.language.brackets import Brackets
from graphlab.language.literals import option_value
from graphlab.language.reading import Reading
from graphlab.language.terms import Call, Name, Number, Operation, Term
from graphlab.language.tokens import Token
from graphlab.language.vocabulary import INFIX


class Parser(Brackets):
    """Reads one formula. `parameters` are the inputs of the definition it belongs to.

    `latex`: factors side by side are a product whose kind the shapes decide, as with "·"; in plain text it is `*`.
    """

    def __init__(
        self,
        tokens: Sequence[Token],
        reading: Reading,
        source: str,
        parameters: Collection[str] = (),
        *,
        latex: bool = False,
    ) -> None:
        super().__init__(tokens, reading, source)
        self.parameters = parameters
        self.latex = latex

    def formula(self) -> Term:
        """The whole formula. Raises a GraphLabError with the position of what cannot be read."""
        term = self.expression(Prec.COMPARISON)
        self.expect("end")
        return term

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
                    right = self.expression(Prec(prec + 1))
                    left = Operation(token.position, op, (left, right), is_open=token.kind == "·")
            elif token.kind == "transpose":
                if isinstance(left, Number):
                    raise faults.transposed_number(token)
                self.index += 1
                left = Operation(token.position, linalg.transpose, (left,))
            elif self.starts_factor(token):
                if floor > Prec.PRODUCT:
                    return left
                middle = self.index
                left = self.beside(token, left, self.factor(Prec.PREFIX))
                if last == "/":
                    self.notice_quotient(start, middle)
            elif token.kind == "[":
                left = self.row_of(left, token)
            else:
                return left
            last = token.kind

    def beside(self, second: Token, left: Term, right: Term) -> Term:
        """Two factors without a sign between them."""
        return Operation(second.position, arithmetic.mul, (left, right), is_open=self.latex)

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
        return token.kind in ("number", "name", "(", "{") or (
            (token.kind == "|" and not self.bars) or (token.kind == "‖" and not self.norms)
        )

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
        if token.kind in ("(", "{"):
            return self.bracket(token)
        if token.kind == "-":
            return self.minus(token)
        if token.kind == "+":
            return self.inner(Prec.PREFIX)
        if token.kind == "|":
            return self.between_bars(token)
        if token.kind == "[":
            return self.array(token)
        if token.kind == "‖":
            return self.norm(token)
        self.index -= 1
        raise self.unexpected()

    def minus(self, sign: Token) -> Term:
        """A minus directly before a number belongs to it, except before ^."""
        if self.next.kind == "number" and self.peek(1).kind != "^":
            return Number(sign.position, "-" + self.take().text)
        return Operation(sign.position, arithmetic.neg, (self.inner(Prec.PREFIX),))

    # ---- names and calls -------------------------------------------------------------------------------------------
    def name(self, name: Token) -> Term:
        """A call, a function applied without brackets, a number with a name, or a value."""
        if self.next.kind == "(":
            if self.reading.is_call(name, self.parameters):
                return self.call(name)
        elif self.reading.is_function_alone(name, self.parameters):
            return self.application(name)
        if self.reading.is_number(name, self.parameters, is_base=self.next.kind == "^"):
            return Number(name.position, name.text)
        self.reading.check_value(name, self.parameters)
        return Name(name.position, name.text)

    def call(self, name: Token) -> Term:
        """name(input, …, option=value, …)."""
        self.index += 1
        inputs: list[Term] = []
        options: dict[str, tuple[object, int]] = {}
        with self.closed_off():
            while self.next.kind != ")":
                self.input_or_option(name, inputs, options)
        self.index += 1
        return Call(name.position, name.text, tuple(inputs), options)

    def input_or_option(self, name: Token, inputs: list[Term], options: dict[str, tuple[object, int]]) -> None:
        """Read what stands up to the next comma, and the comma."""
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
        if number.kind == "-" or (number.kind in ("(", "{") and self.next.kind == "-"):
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
            term = self.beside(self.next, term, self.factor(Prec.PREFIX))
            several = True
        if several:
            typed, argument = self.typed(start, self.index), self.typed(first, self.index)
            self.notice(f"{typed} read as {name.text}({argument})", name.position)
        return term

    def next_is_function(self) -> bool:
        return self.next.kind == "name" and self.reading.is_function_alone(self.next, self.parameters)

    def starts_argument(self) -> bool:
        """Whether what follows a function's name without a bracket can be its input."""
        return self.next.kind in ("number", "name", "{") or (self.next.kind == "|" and not self.bars)
