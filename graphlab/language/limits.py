"""How large a text may be. Each limit is checked where the thing is read, and going beyond it is a LimitError.

The limits keep every text, hostile ones too, well under a second. The elements of an array literal need none of their
own: its tokens are limited.
"""

CHARACTERS = 64_000
TOKENS = 20_000
STATEMENTS = 2_500
NESTING = 100  # brackets, bars, signs and exponents, one inside the other; a chain such as a+a+a may be longer
OPERATIONS = 5_000  # op nodes made; the body of a function counts once, and once more per call
DIGITS = 40
EXPONENT = 308  # of ten, in a literal and in a power of literals
NAME_LENGTH = 100
RANK = 4
