"""What a page in Streamlit's test harness says."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def whole(test: AppTest) -> bool:
    return not (test.exception or test.error or test.warning)


def said(test: AppTest) -> str:
    """All texts of the page, without the marks of Markdown."""
    parts = [*test.markdown, *test.caption, *test.info, *test.warning, *test.error]
    return "\n".join(part.value.replace("\\", "").replace("**", "") for part in parts)


def link(test: AppTest) -> dict[str, str]:
    """What the address holds; the harness gives a text or a list of one."""
    return {name: value if isinstance(value, str) else value[0] for name, value in test.query_params.items()}


def cosines(test: AppTest) -> list[list[float]]:
    """The table below the pictures of the page about words."""
    values: list[list[float]] = test.dataframe[0].value.drop(columns="sentence").to_numpy().tolist()
    return values
