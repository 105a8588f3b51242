"""The help of the pages: how to type, how to step and open boxes, what the colours mean."""

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
| `Enter` | open the box that has the focus |
| `Backspace` | close the box around it |
| `/` | contents and search, on the Models page |
| `Esc` | close the details, then the box |

**Blue** is a value, on the upper line of a box; **orange** is the gradient, on the lower line. Click a box for its
details. `+` on a box (or two clicks) shows what it is made of, `−` closes it again.
"""
EXPLORING = """
*Nudge* moves an input and compares with what the gradient promised. *Forward mode* carries tangents along from the
inputs that move. Below the graph: formulas, paths, second order, the backward graph, rewriting, and SymPy.
"""
BOXES = """
A model opens as **boxes**, one for each part, with the names that PyTorch gives its modules; equal parts stand as one
box ×N. Small models run on random numbers; *Seed* draws others.
"""


def help_menu(*texts: str) -> None:
    """A menu with what a page needs."""
    with st.popover("Help", icon=":material/help:"):
        for text in texts:
            st.markdown(text)
