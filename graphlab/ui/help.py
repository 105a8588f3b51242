"""The help of the Explore page: how to type, how to step, what the colours mean."""

from __future__ import annotations

import streamlit as st

TYPING = """
**Type** a formula as on paper and press Enter. `2b` and `c(a+2b)` are products, `x^2` a power, `W@x` a matrix product,
`A.T` a transpose. Statements stand on lines of their own (Shift+Enter) or are separated by `;`. Greek letters may be
typed (`α`) or spelled (`alpha`), `x₁` is `x_1`.

Functions: `exp log sqrt sin cos tanh sigmoid relu gelu softmax layer_norm attention cross_entropy` and many more;
`sum mean max` take `axis=`. A value is a number, or a list for a vector or matrix: `[1, 2]`, `[[1, 2], [3, 4]]`.
*LaTeX* switches the notation. `u(v(w(x)))` keeps its functions abstract.
"""
STEPPING = """
| key | does |
|---|---|
| `→` `Space` `Page down` | one step |
| `←` `Page up` | back |
| `Home` `End` | to the start, to the end |
| `p` | predict: hide what comes next |
| `s` | symbols or numbers |
| `t` | the pass as a table |
| `f` | fit the graph |
| `Esc` | close the details |

**Blue** is a value, on the upper line of a box; **orange** is the gradient, on the lower line. Click a box for its
details. *Nudge* moves an input and compares with what the gradient promised. *Forward mode* carries tangents along from
the inputs that move. Below the graph: formulas, paths, second order, the backward graph, rewriting, and SymPy.
"""


def help_menu() -> None:
    """A menu with both."""
    with st.popover("Help", icon=":material/help:"):
        st.markdown(TYPING)
        st.markdown(STEPPING)
