"""A question with choices. A wrong choice stays visible with its reply, and the reader may choose again."""

from __future__ import annotations

import streamlit as st

from graphlab.lessons.findings import Findings
from graphlab.lessons.lesson import Question
from graphlab.ui.lessons.progress import tried


def ask(question: Question, key: str, findings: Findings) -> bool:
    """Show a question and what is said to the choice taken. Returns whether anything was chosen yet."""
    taken = tried(key)
    if taken:
        st.session_state.setdefault(f"choice {key}", taken[-1])
    texts = [choice.text for choice in question.mixed]
    st.radio(findings.fill(question.text), texts, index=None, key=f"choice {key}", on_change=take, args=(key,))
    if taken:
        reply(question, taken, findings)
    return bool(taken)


def take(key: str) -> None:
    """Remember what was chosen, once."""
    chosen = st.session_state[f"choice {key}"]
    taken = tried(key)
    if chosen in taken:
        taken.remove(chosen)
    if chosen is not None:
        taken.append(chosen)


def reply(question: Question, taken: list[str], findings: Findings) -> None:
    """What is said to the last choice; earlier ones stay in sight."""
    choices = {choice.text: choice for choice in question.choices}
    known = [choices[text] for text in taken if text in choices]
    for earlier in known[:-1]:
        st.caption(f"Before: {earlier.text}. {findings.fill(earlier.reply)}")
    for last in known[-1:]:
        icon = ":material/check:" if last.right else ":material/chat_bubble:"
        st.info(findings.fill(last.reply), icon=icon)


def show_answered(question: Question, findings: Findings) -> None:
    """The question with every choice and its reply: for a lecture, after the hands went up."""
    with st.container(key="answer"):
        st.markdown(findings.fill(question.text))
        for choice in question.mixed:
            mark = ":material/check:" if choice.right else ":material/close_small:"
            st.markdown(f"{mark} **{choice.text}** — {findings.fill(choice.reply)}")
