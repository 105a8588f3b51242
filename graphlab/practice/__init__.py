"""Practice: questions about a graph, and a judge for what learners answer.

questions   Value, Gradient, Local, Shape: what is asked, also as a short text
verdicts    judge: the whole way from an answer to a Verdict; showing: its numbers in words
asked       the expected answer as a node, and the names an answer may use
spelling    ē, dL/de, de and e.grad are e_bar; reading: a text → a node on the graph
numbers     numbers and shapes: how they are typed, and when they count as right
canonical   the same up to order; sampling: points; comparing: float64 finds, many digits decide (digits)
standing_in smooth functions in place of abstract ones
"""

from graphlab.practice.questions import Gradient, Local, Question, Shape, Value
from graphlab.practice.showing import Counterexample
from graphlab.practice.verdicts import Verdict, judge

__all__ = ["Counterexample", "Gradient", "Local", "Question", "Shape", "Value", "Verdict", "judge"]
