"""Points from a CSV file: what is read, and what is refused with line and reason."""

from __future__ import annotations

import pytest

from graphlab.errors import GraphLabError
from graphlab.lessons.points import read_points

GOOD = [[0.5, -1.0, 1.0], [2.0, 3.0, 0.0]]


@pytest.mark.parametrize(
    "text",
    [
        "0.5,-1,1\n2,3,0",
        "x1,x2,class\n0.5,-1,1\n2,3,0\n",
        "0.5;-1;1\r\n2;3;0\r\n",
        "\ufeffx1\tx2\ty\n0.5\t-1\t1\n\n2\t3\t0",
        ' 0.5 , -1 , 1\n"2","3","0"',
    ],
)
def test_a_table_of_points_is_read(text: str) -> None:
    """With or without names, with commas, semicolons or tabs."""
    assert read_points(text, 10) == GOOD


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the file has no points"),
        ("\n \n", "the file has no points"),
        ("x1,x2,class\n", "the file has no points"),
        ("1,2,1\n1,two,0", "line 2: 'two' is not a number"),
        ("1,2,1\n,2,0", "line 2: '' is not a number"),
        ("1,nan,1", "line 1: 'nan' is not a finite number"),
        ("1,2,1\n3,inf,0", "line 2: 'inf' is not a finite number"),
        ("1,2", "line 1: 2 columns instead of 3"),
        ("x1,x2,class\n1,2,1,4", "line 2: 4 columns instead of 3"),
        ("1,2,3", "line 1: the class is 3, not 0 or 1"),
        ("1,2,0\n" * 11, "line 11: there are more than 10 points"),
        ("1,2,0\n" * 1_000_000, "the file has 6,000,000 characters"),
    ],
)
def test_what_is_no_such_table_is_refused_with_line_and_reason(text: str, reason: str) -> None:
    with pytest.raises(GraphLabError) as caught:
        read_points(text, 10)
    assert caught.value.message.startswith(reason) and caught.value.hint
