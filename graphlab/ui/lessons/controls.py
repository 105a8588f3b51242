"""The controls of an experiment as fields, sliders and switches; what they say goes into the lesson's state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from graphlab.errors import GraphLabError
from graphlab.lessons.controls import Choose, Control, Numbers, Points, Slider, Switch, Text, settings_within
from graphlab.ui.lessons.points import point_field
from graphlab.ui.plain import plain, with_hint
from graphlab.ui.values import read_value, write_value

FIELD_WIDTH, SLIDER_WIDTH = 340, 300
MOST_LETTERS = 36  # of a row of choices on a phone


def choose_settings(controls: Mapping[str, Control], chosen: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """Draw every control as it is chosen, and return the settings. `prefix` keeps the fields of pages apart."""
    settings = settings_within(controls, chosen)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for name, control in controls.items():
            if not isinstance(control, Points):
                settings[name] = draw(control, settings[name], f"{prefix} {name}")
    for name, control in controls.items():
        if isinstance(control, Points):
            settings[name] = point_field(control, settings[name], f"{prefix} {name}")
    return settings_within(controls, settings)


def draw(control: Control, value: Any, key: str) -> Any:
    """One control; its value now."""
    if isinstance(control, Numbers):
        return number_field(control, value, key)
    st.session_state.setdefault(key, value)
    if isinstance(control, Slider):
        return st.slider(control.title, control.least, control.most, step=control.step, key=key, width=SLIDER_WIDTH)
    if isinstance(control, Switch):
        return st.toggle(control.title, key=key)
    if isinstance(control, Choose):
        choose = st.pills if is_long(control) else st.segmented_control  # pills go on in a second line
        return choose(control.title, control.options, key=key, required=True)
    if isinstance(control, Text):
        return st.text_input(control.title, key=key, max_chars=control.longest, width=FIELD_WIDTH)
    raise TypeError(control)


def is_long(control: Choose) -> bool:
    """Whether the options do not fit into one line of a phone."""
    return sum(map(len, control.options)) > MOST_LETTERS


def number_field(control: Numbers, value: list[Any], key: str) -> list[Any]:
    """A list of numbers as text. What cannot be read is said, and the last list that could be stays in use."""
    st.session_state.setdefault(key, write_value(value))
    typed = st.text_input(control.title, key=key, width=FIELD_WIDTH)
    try:
        found = read_value(control.title, typed)
    except GraphLabError as fault:
        st.warning(with_hint(fault))
        return value
    fault_text = control.fault(found)
    if fault_text:
        st.warning(plain(f"{control.title}: {fault_text}."))
        return value
    return list(found)
