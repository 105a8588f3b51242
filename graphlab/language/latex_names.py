r"""Names in LaTeX → names: \alpha, x_1, \bar{x}_{1}, W^Q, \mathrm{loss}. The way back is `notation.name_latex`.

A single letter is a name; a longer one is written upright. An index may hold letters, digits and commas; inside a sum
its letter stands for a number there. Bold and calligraphic letters are the letters themselves.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from graphlab.engine.notation import ACCENTS, GREEK
from graphlab.errors import LimitError, ParseError
from graphlab.language import limits
from graphlab.language.names import GREEK_LETTERS, PRIMES

VARIANTS = {f"var{name}": name for name in ("epsilon", "theta", "phi", "rho", "sigma", "pi")}
GREEK_COMMANDS = {name: name for name in GREEK} | VARIANTS
ACCENT_COMMANDS = {command[1:]: name for name, command in ACCENTS.items()}
ACCENT_COMMANDS |= {"overline": "bar", "widehat": "hat", "widetilde": "tilde"}
UPRIGHT = frozenset("mathrm text textrm textit mathit mathsf mathtt textbf operatorname mbox".split())
STYLES = frozenset("mathbf boldsymbol bm mathcal mathscr mathfrak mathbb vec".split())

_upright = re.compile(rf"\\(?:{'|'.join(UPRIGHT)})\*?\s*\{{([^{{}}]*)\}}")
_word = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:\\?_[A-Za-z0-9]+)*")
_wrapped = re.compile(rf"\\({'|'.join([*ACCENT_COMMANDS, *STYLES])})(?![A-Za-z])\s*")
_greek = re.compile(rf"\\({'|'.join(GREEK_COMMANDS)})(?![A-Za-z])|([{''.join(GREEK_LETTERS)}])")
_prime = re.compile(rf"[{''.join(PRIMES)}]|\^\s*(?:\\prime|\{{(?:\\prime|\s)+\}})")
_raised = re.compile(r"\^\s*(?:([A-Z])|\{\s*([A-Z])\s*\}|\{\s*\\(?:mathrm|text)\{([A-Za-z0-9]+)\}\s*\})")
_single = re.compile(r"[A-Za-z0-9]|\\(?:mathrm|text|textrm)\s*\{\s*[A-Za-z0-9]+\s*\}")
_below = re.compile(r"\s*_\s*(?!\{\s*\[|\s)")  # not x_{[i]}, which picks a row
_part = re.compile(r"\\(?:mathrm|text|textrm)\s*\{\s*([A-Za-z0-9]+)\s*\}|([A-Za-z0-9]+)(?:\s*([+-])\s*([0-9]{1,9}))?")


class Spelling(NamedTuple):
    """A name while it is read: the letter with its index, then accents, then primes; and where it ends."""

    stem: str
    accents: str
    primes: str
    stop: int

    @property
    def name(self) -> str:
        return self.stem + self.accents + self.primes


class NameReader:
    """Reads names of one text. `indices` holds the numbers that the letters of open sums stand for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.indices: dict[str, int] = {}

    def read(self, position: int) -> tuple[str, int] | None:
        """The name that starts here and where it ends; None if there is none."""
        spelling = self.spelling(position, 0)
        if spelling is None:
            return None
        if len(spelling.name) > limits.NAME_LENGTH:
            raise LimitError(f"a name has at most {limits.NAME_LENGTH} characters", position=position)
        return spelling.name, spelling.stop

    def spelling(self, position: int, depth: int) -> Spelling | None:
        """A letter or word with all that stands around it."""
        base = self.base(position, depth)
        if base is None:
            return None
        stem, accents, primes, stop = base
        while True:
            if found := _prime.match(self.text, stop):
                primes += PRIMES.get(found.group(), "'" * found.group().count("prime"))
                stop = found.end()
            elif found := _below.match(self.text, stop):
                index, stop = self.index(found.end())
                stem += index
            elif (found := _raised.match(self.text, stop)) and is_raised_index(stem, found):
                stem += "_" + next(filter(None, found.groups()))
                stop = found.end()
            else:
                return Spelling(stem, accents, primes, stop)

    def base(self, position: int, depth: int) -> Spelling | None:
        """A letter, an upright word, a letter with an accent, or any of them in braces before an index."""
        text = self.text
        if found := _greek.match(text, position):
            return Spelling(greek_name(found), "", "", found.end())
        if found := _upright.match(text, position):
            word = found[1].strip()
            if not _word.fullmatch(word):
                raise ParseError(
                    f"{word[:40] or 'nothing'} is no name",
                    hint=r"An upright name is letters and digits: \mathrm{loss}, W_{\mathrm{out}}.",
                    position=position,
                )
            return Spelling(word.replace("\\", ""), "", "", found.end())
        if found := _wrapped.match(text, position):
            return self.wrapped(found, depth)
        if text[position : position + 1] == "{" and depth < limits.NESTING:
            return self.in_braces(position, depth)
        letter = text[position : position + 1]
        return Spelling(letter, "", "", position + 1) if re.fullmatch("[A-Za-z]", letter) else None

    def wrapped(self, command: re.Match[str], depth: int) -> Spelling:
        r"""\bar{x}, \bar x, \mathbf{w}."""
        if depth >= limits.NESTING:
            raise LimitError(f"accents are nested more than {limits.NESTING} deep", position=command.start())
        start = command.end()
        braced = self.text[start : start + 1] == "{"
        inner = self.spelling(_skip(self.text, start + 1), depth + 1) if braced else self.base(start, depth + 1)
        stop = self.closing(inner.stop) if inner and braced else inner.stop if inner else None
        if inner is None or stop is None:
            raise ParseError(rf"\{command[1]} stands over a name, as in \{command[1]}{{x}}", position=command.start())
        accent = f"_{ACCENT_COMMANDS[command[1]]}" if command[1] in ACCENT_COMMANDS else ""
        return Spelling(inner.stem, inner.accents + accent, inner.primes, stop)

    def in_braces(self, position: int, depth: int) -> Spelling | None:
        r"""{\bar{x}}_{2}: a name in braces before an index, or inside an accent."""
        start = _skip(self.text, position + 1)
        inner = None if self.text[start : start + 1] == "{" else self.spelling(start, depth + 1)
        stop = self.closing(inner.stop) if inner else None
        if inner is None or stop is None or not (depth or _below.match(self.text, stop)):
            return None
        return Spelling(inner.stem + inner.accents, "", inner.primes, stop)

    def closing(self, position: int) -> int | None:
        """Behind the brace that closes here."""
        position = _skip(self.text, position)
        return position + 1 if self.text[position : position + 1] == "}" else None

    def index(self, position: int) -> tuple[str, int]:
        """What stands below a name, as _1 or _1_2, and where it ends."""
        if self.text[position : position + 1] != "{":
            found = _greek.match(self.text, position) or _single.match(self.text, position)
            if found is None:
                raise bad_index(position)
            return self.part(position, found.end())
        name = ""
        while self.text[position : position + 1] != "}" or not name:
            part, position = self.part(_skip(self.text, position + 1), len(self.text))
            position = _skip(self.text, position)
            name += part
            if self.text[position : position + 1] not in (",", "}"):
                raise bad_index(position)
        return name, position + 1

    def part(self, position: int, end: int) -> tuple[str, int]:
        """One part of an index, as _1, and where it ends; the letters of sums are numbers."""
        if found := _greek.match(self.text, position, end):
            return f"_{greek_name(found)}", found.end()
        found = _part.match(self.text, position, end)
        if found is None:
            raise bad_index(position)
        upright, plain, sign, number = found.groups()
        if upright:
            return f"_{upright}", found.end()
        text = "".join(str(self.indices.get(letter, letter)) for letter in plain)
        if not sign:
            return f"_{text}", found.end()
        if plain not in self.indices:
            raise bad_index(position)
        value = self.indices[plain] + (int(number) if sign == "+" else -int(number))
        if value < 0:
            raise ParseError(f"the index {value} is below 0", position=position)
        return f"_{value}", found.end()


def is_raised_index(stem: str, found: re.Match[str]) -> bool:
    """Whether W^Q or W_i^Q is a name: an index above a capital letter, but for the T of a transpose."""
    return re.fullmatch("[A-Z](_[A-Za-z0-9]+)*", stem) is not None and "T" not in found.groups()


def greek_name(found: re.Match[str]) -> str:
    return GREEK_COMMANDS.get(found[1]) or GREEK_LETTERS[found[2]]


def _skip(text: str, position: int) -> int:
    """Behind the blanks that start here."""
    while text[position : position + 1].isspace():
        position += 1
    return position


def bad_index(position: int) -> ParseError:
    return ParseError(
        "an index is made of letters, digits and commas",
        hint=r"For example x_1, x_{12}, W_{i,j}, d_{\mathrm{model}}.",
        position=position,
    )
