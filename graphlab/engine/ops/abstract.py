"""Abstract functions: u in u(v(x)) while nobody says what u computes. They are differentiated, but have no value.

Such an op belongs to the graphs that use it and never enters `core.OPS`. Its derivative is again an abstract function,
written with one prime more.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from graphlab.engine.core import Op
from graphlab.engine.notation import Notation, Written, in_brackets, name_latex
from graphlab.engine.shapes import broadcast
from graphlab.errors import NoRule


@dataclass(frozen=True, eq=False, slots=True)
class AbstractOp(Op):
    """The function called `function`, or its derivative of that `order`."""

    function: str = ""
    order: int = 0


@lru_cache(maxsize=1024)
def abstract_function(name: str, order: int = 0) -> AbstractOp:
    """The op of a function nobody wrote down: of one input, entry by entry. The same name gives the same op."""
    primed = name + "'" * order

    def forward(x: Any) -> Any:
        raise NoRule(
            f"nothing says what {name} computes",
            hint=f'Say it with define({name}="sin(x)"), or write {name}(x) = sin(x) into the program.',
        )

    return AbstractOp(
        primed,
        forward,
        shape=broadcast,
        notation=applied(primed),
        why=f"Nothing says what {name} computes, so its slope is called {primed}′.",
        arity=1,
        partials=(lambda y, x: abstract_function(name, order + 1)(x),),
        call_name=primed,
        analytic=False,
        function=name,
        order=order,
    )


def applied(primed: str) -> Notation:
    """u'(x)."""

    def write(x: Written) -> Written:
        return Written(f"{primed}({x.text})", name_latex(primed) + in_brackets(x.latex))

    return write
