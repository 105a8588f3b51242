"""What learns live: it starts, stops, begins again, and no session sees another's numbers."""

from __future__ import annotations

from typing import Any

from streamlit.testing.v1 import AppTest

from tests.ui.lessons.sample import POINTS, SAMPLE


def script() -> None:
    from graphlab.ui.lessons.training import training_place
    from tests.ui.lessons.sample import SAMPLE

    training_place(SAMPLE, as_tables=False)


def page() -> AppTest:
    return AppTest.from_function(script, default_timeout=60).run()


def press(test: AppTest, name: str) -> AppTest:
    test.button(key=f"sample {name}").click().run()
    assert not test.exception
    return test


def learnt(test: AppTest) -> dict[str, Any]:
    """The numbers of this session."""
    return dict(test.session_state["sample training"])


def loss(test: AppTest) -> float:
    return float(test.metric[0].value)


def test_it_learns_while_it_runs_and_stops_when_told() -> None:
    test = page()
    first = loss(test)
    press(test, "run")
    taken = learnt(test)["steps"]
    assert taken > 0 and loss(test) < first
    test.run()
    assert learnt(test)["steps"] > taken, "every turn of the fragment goes on"
    press(test, "run")
    stopped = learnt(test)["steps"]
    test.run()
    assert learnt(test)["steps"] == stopped


def test_it_runs_at_twenty_steps_a_second_or_more() -> None:
    """By the number of steps of a turn, whatever the machine: a turn is 0.4 s."""
    test = press(page(), "run")
    assert learnt(test)["steps"] >= 8


def test_it_stops_by_itself_after_its_last_step() -> None:
    test = page()
    test.segmented_control(key="sample speed").set_value("as fast as it goes").run()
    press(test, "run")
    for _ in range(40):
        test.run()
    assert SAMPLE.training is not None
    assert learnt(test)["steps"] == SAMPLE.training.longest and test.button(key="sample run").label == "Start"


def test_it_stops_when_another_page_is_shown() -> None:
    """The app tells which page that is."""

    def turning() -> None:
        import streamlit as st

        from graphlab.ui.lessons.pages import leave_training
        from graphlab.ui.lessons.training import training_place
        from tests.ui.lessons.sample import SAMPLE

        leave_training(st.session_state.get("where", "lesson-sample"))
        if st.session_state.get("where", "lesson-sample") == "lesson-sample":
            training_place(SAMPLE, as_tables=False)

    test = press(AppTest.from_function(turning, default_timeout=60).run(), "run")
    for where in ("explore", "lesson-sample"):
        test.session_state["where"] = where
        test.run()
    stopped = learnt(test)["steps"]
    test.run()
    assert learnt(test)["steps"] == stopped and test.button(key="sample run").label == "Start"


def test_one_step_is_one_step_and_reset_begins_again() -> None:
    test = press(press(page(), "one"), "one")
    assert learnt(test)["steps"] == 2 and (learnt(test)["state"]["w"] != 0).any()
    press(test, "reset")
    assert learnt(test)["steps"] == 0 and (learnt(test)["state"]["w"] == 0).all()


def test_another_setting_begins_again() -> None:
    test = press(page(), "one")
    test.segmented_control(key="sample train optimiser").set_value("Adam").run()
    assert learnt(test)["steps"] == 0
    test.session_state["sample train points"] = [*POINTS, [0.0, 1.0, 1.0]]
    test.run()
    assert not test.exception and learnt(test)["steps"] == 0


def test_two_sessions_do_not_disturb_each_other() -> None:
    one, other = page(), page()
    press(one, "run")
    press(other, "one")
    one.run()
    assert learnt(other)["steps"] == 1 < learnt(one)["steps"]
    assert loss(one) != loss(other)


def test_the_session_holds_numbers_and_texts_only() -> None:
    test = press(page(), "run")
    state = learnt(test)["state"]
    assert {type(value).__module__ for value in state.values()} <= {"numpy", "builtins"}


def test_every_kind_of_view_and_control_is_drawn() -> None:
    """Those that the lessons so far do not use."""

    def views() -> None:
        from graphlab.ui.lessons.controls import choose_settings
        from graphlab.ui.lessons.views import show_findings
        from tests.ui.lessons.sample import SAMPLE

        settings = choose_settings(SAMPLE.experiment.controls, {}, "sample")
        for large in (False, True):
            show_findings(SAMPLE.experiment.run(settings), as_tables=large, large=large)

    test = AppTest.from_function(views, default_timeout=60).run()
    assert not test.exception and len(test.table) == 2 and test.metric[0].value == "3"
    test.text_input(key="sample words").set_value("a b c d").run()
    assert test.metric[0].value == "4"
