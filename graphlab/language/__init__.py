"""The formula language: what a learner types → the graph they had in mind, or a clear error at the right character.

program     parse_program: text → Program, the whole way
tokens      characters → tokens (plain notation); names: how a name is spelled; literals: arrays and option values
latex_…     the same tokens from LaTeX: latex_tokens reads, latex_names and latex_commands know the words,
            latex_blocks, latex_environments and latex_sums what has parts
statements  tokens → statements
reading     call or product: what each name of a program is; Notice
syntax      the precedence parser: tokens → terms, with brackets and its cursor; faults: what it says when it cannot
building    terms → nodes of the engine
vocabulary  signs, functions and constants, from the op records; limits: how large a text may be
"""

from graphlab.language.limits import NAME_LENGTH
from graphlab.language.names import canonical_name
from graphlab.language.program import Program, parse_program
from graphlab.language.reading import Notice
from graphlab.language.vocabulary import is_function

__all__ = ["NAME_LENGTH", "Notice", "Program", "canonical_name", "is_function", "parse_program"]
