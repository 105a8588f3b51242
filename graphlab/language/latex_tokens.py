r"""The tokenizer of the LaTeX notation: characters → the tokens of the plain notation, for the same parser.

Three kinds are new: "{" and "}" group without being seen (a fraction is { a / b }), "·" is a product whose kind the
shapes decide (\cdot), and "⊗" the outer product. A command is a sign, a name, a function or a block (`latex_blocks`);
any other is an error at its place. An empty group {} is the matrix product @, because that is how graphlab writes it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from graphlab.engine.notation import GREEK
from graphlab.errors import LimitError, ParseError
from graphlab.language import latex_blocks as blocks
from graphlab.language import limits
from graphlab.language.latex_commands import COMMANDS, IGNORED, PRODUCTS, unknown_command, unreadable
from graphlab.language.latex_names import NameReader
from graphlab.language.latex_sums import ends_term
from graphlab.language.reading import Notice
from graphlab.language.tokens import SIGNS, Token, check_text, checked_number
from graphlab.language.vocabulary import function_at, function_called

PIECE = re.compile(
    r"""(?P<blank>(?:[ \t\r\n~$\u00a0\u2000-\u200a\u202f\u3000]+|%[^\n]*)+)
    |(?P<power>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)\{\\cdot\}10\^\{-?[0-9]{1,4}\})
    |(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    |(?P<newline>\\\\(?:\*|[ ]*\[[0-9.]+[ ]*(?:pt|em|ex|mm|cm)\])?)
    |(?P<command>\\(?:[A-Za-z]+\*?|[^A-Za-z]))
    |(?P<transpose>\^[ ]*(?:\\(?:top|intercal)(?![A-Za-z])|\{[ ]*(?:\\(?:top|intercal)|\\mathsf[ ]*\{?T\}?)[ ]*\}|⊤)|ᵀ)
    |(?P<sign><=|>=|==|!=|\{[ ]*\}|.)""",
    re.VERBOSE,
)
APART = re.compile(r"\s*(?:\\(?:left|[bB]igg?l?)\s*)?")
BRACKET = re.compile(rf"{APART.pattern}[(\[]")
CALLED_LETTERS = re.compile(r"([A-Za-z]{3,40})\s*(?:\\left\s*)?\(")
ROWS = re.compile(r"_\s*\{\s*\[")
INDEX = re.compile(r"\s*_")
STEPS = 100_000  # pieces read, those of repeated sums counted each time


class Scanner:
    """Reads one text. `tokens` is what was read; blocks read their parts with `scan` and `argument`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.tokens: list[Token] = []
        self.notices: list[Notice] = []
        self.names = NameReader(text)
        self.environments: list[str] = []
        self.depth = 0
        self.bar_open = False
        self._steps = 0

    # ---- reading on ------------------------------------------------------------------------------------------------
    def scan(self, stops: Collection[str] = (), *, term: bool = False) -> str:
        """Read up to a piece that stands in `stops`, which is left unread, or to the end. Returns that piece.

        `term`: only one term, as a sum takes it: up to a + or − or whatever closes what is open outside.
        """
        with self.deeper():
            first, opened, bar_open = len(self.tokens), 0, self.bar_open
            while self.position < len(self.text):
                found = self.piece()
                piece = r"\\" if found["newline"] else found.group()
                begun = len(self.tokens) > first
                inside = opened or self.bar_open != bar_open
                if piece in stops or (term and begun and not inside and ends_term(piece, bar_open)):
                    return piece
                before = len(self.tokens)
                self.read(found)
                opened += sum((t.kind == "(") - (t.kind == ")") for t in self.tokens[before:]) if term else 0
                self.count()
        return ""

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """One level further in."""
        self.depth += 1
        if self.depth > limits.NESTING:
            raise LimitError(f"braces are nested more than {limits.NESTING} deep", position=self.position)
        yield
        self.depth -= 1

    def piece(self) -> re.Match[str]:
        """The piece that comes next; there must be one."""
        found = PIECE.match(self.text, self.position)
        if found is None:
            raise ParseError("something must follow here", position=self.position)
        return found

    def skip(self) -> None:
        """Step over the next piece."""
        self.position = self.piece().end()

    def collect(self, stops: Collection[str]) -> list[Token]:
        """Read up to one of `stops`; the tokens are returned and not kept."""
        first = len(self.tokens)
        self.scan(stops)
        found = self.tokens[first:]
        del self.tokens[first:]
        return found

    def close(self, closing: str, start: int) -> None:
        """Step over what closes a block that opened at `start`."""
        if not self.text.startswith(closing, self.position):
            raise ParseError(f"{closing} is missing for what opens here", position=start)
        self.position += len(closing)

    def count(self) -> None:
        """One piece more was read."""
        self._steps += 1
        if len(self.tokens) > limits.TOKENS or self._steps > STEPS:
            raise LimitError(
                f"the text has more than {limits.TOKENS:,} numbers, names and signs", position=self.position
            )

    def read(self, found: re.Match[str]) -> None:
        """One piece."""
        kind, piece, start = str(found.lastgroup), found.group(), found.start()
        if (piece[0] in "\\{" or piece[0].isalpha()) and self.read_name(start):
            return
        self.position = found.end()
        if kind == "number":
            self.emit("number", checked_number(piece, start), start)
        elif kind == "power":
            mantissa, _, exponent = piece.partition("{")
            number = checked_number(f"{mantissa}e{exponent.rpartition('{')[2][:-1]}", start)
            self.emit("number", number, start)
        elif kind == "transpose":
            self.emit("transpose", piece, start)
        elif kind == "newline":
            self.emit(";", r"\\", start)
        elif kind == "command":
            self.command(piece[1:].removesuffix("*"), start)
        elif kind == "sign":
            self.sign(piece, start)

    def emit(self, kind: str, text: str, start: int) -> None:
        self.bar_open ^= kind == "|"
        self.tokens.append(Token(kind, text, start, self.position))

    # ---- pieces ----------------------------------------------------------------------------------------------------
    def read_name(self, start: int) -> bool:
        """Read a name if one starts here; the letter of an open sum is its number."""
        if start == 0 or not self.text[start - 1].isalpha():
            self.refuse_function_in_letters(start)
        spelled = function_at(self.text, start) or self.names.read(start)
        if spelled is None:
            return False
        name, self.position = spelled
        if name in self.names.indices:
            self.emit("number", str(self.names.indices[name]), start)
        else:
            self.emit("name", name, start)
        return True

    def refuse_function_in_letters(self, start: int) -> None:
        """sin(x) without its backslash would be s·i·n·x."""
        run = CALLED_LETTERS.match(self.text, start)
        if run and function_called(run[1]):
            raise ParseError(
                f"in LaTeX {run[1]} is the product of its letters",
                hint=rf"Write \{run[1]}(…) or \operatorname{{{run[1]}}}(…).",
                position=start,
            )

    def sign(self, piece: str, start: int) -> None:
        """A sign, or the start of a group."""
        if piece == "{":
            self.group(start)
        elif piece == "[":
            blocks.bracket(self, start)
        elif piece == "(":
            self.opening(start)
        elif piece == "_" and self.tokens and (rows := ROWS.match(self.text, start)):
            self.position = rows.end()
            blocks.rows_by_number(self, start)
        elif piece == "^":
            self.emit("^", piece, start)
            self.argument(one_name=False)
        elif piece.startswith("{") and len(piece) > 1:
            self.emit("@", piece, start)
        elif piece == "&":
            if self.depth > 1:
                raise ParseError("& stands only between columns", position=start)
        elif piece in SIGNS:
            self.emit("·" if piece in PRODUCTS else SIGNS[piece], piece, start)
        else:
            raise unreadable(piece, start)

    def opening(self, start: int) -> None:
        r"""An opening bracket. Blanks and \left before it do not part it from the name of a function."""
        before = self.tokens[-1] if self.tokens else None
        if before and before.kind == "name" and APART.fullmatch(self.text, before.stop, start):
            start = before.stop
        self.emit("(", "(", start)

    def group(self, start: int) -> None:
        """{ … }, which TeX does not show."""
        self.emit("{", "{", start)
        if self.scan({"}"}):
            self.position += 1
            self.emit("}", "}", self.position - 1)

    def argument(self, *, one_name: bool = True) -> None:
        """What a command or ^ applies to: a group, or else one digit, letter or command.

        A group of one token needs no braces; but a name keeps them unless `one_name`, lest it call what follows.
        """
        if (found := self.piece())["blank"]:
            self.skip()
            found = self.piece()
        first, start = len(self.tokens), self.position
        if found["number"] or found["power"]:
            self.position += 1
            self.emit("number", self.text[start], start)
        elif found.group() == "{":
            self.skip()
            self.group(start)
        elif letter := re.fullmatch("[A-Za-z]", found.group()):
            self.position += 1
            number = self.names.indices.get(letter.group())
            self.emit("name" if number is None else "number", letter.group() if number is None else str(number), start)
        elif found.group().startswith("{"):
            raise ParseError("there is nothing between these braces", position=start)
        else:
            with self.deeper():
                self.read(found)
                if found.group() in "+-−":
                    self.argument()
        self.unwrap(first, one_name)

    def unwrap(self, first: int, one_name: bool) -> None:
        """The tokens from number `first` on as one operand."""
        tokens = self.tokens[first:]
        if len(tokens) == 3 and tokens[0].kind == "{" and tokens[2].kind == "}":
            tokens = tokens[1:2]
        might_call = [t.kind for t in tokens] == ["name"] and not one_name and tokens[0].text != "T"
        is_apart = len(tokens) > 1 and tokens[0].kind != "{"
        self.tokens[first:] = wrapped(tokens) if might_call or is_apart else tokens

    def command(self, name: str, start: int) -> None:
        r"""\name."""
        if name in blocks.BLOCKS:
            blocks.BLOCKS[name](self, start)
        elif name in IGNORED:
            if name == "," and self.is_product_before_bracket():
                self.emit("·", r"\,", start)
        elif COMMANDS.get(name) == "(":
            self.opening(start)
        elif name in COMMANDS:
            self.emit(COMMANDS[name], f"\\{name}", start)
        elif function_called(name):
            self.function(name, start)
        else:
            raise unknown_command(name, start)

    def function(self, name: str, start: int) -> None:
        r"""\sin, and any other function graphlab knows."""
        if INDEX.match(self.text, self.position):
            hint = r"A logarithm to another base is \frac{\log x}{\log 2}." if name == "log" else None
            raise ParseError(rf"\{name} takes no index", hint=hint, position=self.position)
        self.emit("name", name, start)

    def is_product_before_bracket(self) -> bool:
        r"""Whether a thin space stands between a name and a bracket: f \, (x) is a product, \sin \, (x) is none."""
        if not self.tokens or self.tokens[-1].kind != "name":
            return False
        start = self.tokens[-1].position
        name = self.tokens[-1].text
        is_function = name not in GREEK and self.text.startswith((rf"\{name}", r"\operatorname"), start)
        return not is_function and BRACKET.match(self.text, self.position) is not None


def wrapped(tokens: list[Token]) -> list[Token]:
    """The tokens in braces."""
    first, last = tokens[0].position, tokens[-1].stop
    return [Token("{", "{", first, first), *tokens, Token("}", "}", last, last)]


def tokenize_latex(text: str) -> tuple[list[Token], list[Notice]]:
    """The tokens of a text in LaTeX, and how it was read where that may surprise.

    Raises ParseError at an unknown command or a character that has no place, LimitError for what is too long.
    """
    check_text(text)
    scanner = Scanner(text)
    scanner.scan()
    if scanner.environments:
        raise ParseError(rf"\end{{{scanner.environments[-1]}}} is missing", position=len(text))
    return scanner.tokens, scanner.notices
