"""The page about all of BERT in Streamlit's own harness: each model opens, boxes have their backward pass, the table
counts exactly, and the check runs, stops, and leads to a miss."""

from __future__ import annotations

import threading

import pytest

from tests.requirements import needs

needs("streamlit")
needs("torch")

from streamlit.testing.v1 import AppTest  # noqa: E402

from graphlab.errors import GraphLabError  # noqa: E402
from graphlab.tracing.repeats import boxes_of  # noqa: E402
from graphlab.ui.bert import checking, opening, subjects  # noqa: E402
from graphlab.ui.bert.parameters import counted  # noqa: E402
from graphlab.ui.bert.whole import is_called, reveal  # noqa: E402
from graphlab.ui.drawing import built, whole_trace  # noqa: E402
from graphlab.ui.panels.part import MOST_OPERATIONS, written  # noqa: E402
from graphlab.ui.state import BertState, from_link, to_link  # noqa: E402
from transformer.config import BertConfig  # noqa: E402
from transformer.model import BertForPreTraining  # noqa: E402

LAYER = "s:bert.encoder.layer.*"
SELF = "s:bert.encoder.layer.1.attention.self"


def script() -> None:
    """The page alone: AppTest does not follow links between pages."""
    from graphlab.ui.bert.whole import whole

    whole(lambda: None)


def page(state: BertState | None = None) -> AppTest:
    test = AppTest.from_function(script, default_timeout=100)
    if state is not None:
        test.query_params["b"] = to_link(state) or ""
    return test.run()


def shown(test: AppTest) -> BertState:
    """What the address says."""
    return from_link(str(test.query_params["b"]), BertState)


def said(test: AppTest) -> str:
    """All that the page says, without Markdown's backslashes."""
    kinds = (test.caption, test.error, test.warning, test.info, test.markdown, test.success)
    return " ".join(one.value for kind in kinds for one in kind).replace("\\", "")


def whole(test: AppTest) -> bool:
    return not (test.exception or test.error or test.warning)


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    needs("torch").set_num_threads(1)


@pytest.fixture
def small(monkeypatch):
    """The tiny model, as small as a BERT can be."""
    from graphlab.interop.torch import batches

    subjects._tiny.clear()
    monkeypatch.setattr(subjects, "prepare", lambda _, *rest: batches.prepare("parity", *rest))
    monkeypatch.setattr(subjects, "_running", lambda key, *rest, own=subjects._running: own(f"{key} small", *rest))
    yield
    subjects._tiny.clear()


# ---- what is shown ---------------------------------------------------------------------------------------------------
def test_real_weights_are_drawn_with_the_numbers_of_a_sentence(real_weights):
    test = page()
    assert whole(test)
    assert "13 tokens: [CLS] the cat sat on the mat because it was tired . [SEP]; real weights" in said(test)
    assert "22,565,376 parameters" in said(test)
    test.text_input(key="whole text").set_value("a bank .").run()
    assert whole(test) and "5 tokens: [CLS] a bank . [SEP]" in said(test)
    assert shown(test).text == "a bank ."


def test_without_weights_the_page_offers_them_and_draws_a_random_model(no_weights):
    test = page()
    assert not test.exception
    assert "minilm-l6 is not on this machine yet" in said(test) and test.button(key="get")
    assert "random weights, which have learnt nothing" in said(test)


def test_without_pytorch_the_page_says_the_one_command(monkeypatch):
    def alone() -> None:
        from graphlab.ui.bert.opening import whole

        whole(lambda: None)

    find = opening.importlib.util.find_spec
    monkeypatch.setattr(opening.importlib.util, "find_spec", lambda name: None if name == "torch" else find(name))
    test = AppTest.from_function(alone, default_timeout=30).run()
    assert not test.exception and "Not installed: torch" in test.info[0].value
    assert test.code[0].value == 'pip install "graphlab[bert]"'


def test_base_is_drawn_without_numbers():
    test = page(BertState(model="base", selected=LAYER))
    assert whole(test) and "110,106,428 parameters" in said(test)
    assert len(test.latex) == 2, "one layer is written out"


@pytest.mark.parametrize(("model", "text"), [("gpt", ""), ("tiny", "x" * 10_000)])
def test_a_strange_link_is_answered(small, model, text, no_weights):
    test = page(BertState(model=model, text=text))
    assert not test.exception and (model == "tiny" or "There is no such model here" in said(test))


def test_a_text_that_is_too_long_is_said(no_weights):
    test = page(BertState(model="real", text="a " * 190))
    assert not test.exception and "at most 64. Shorten the text." in said(test)


def test_another_model_begins_at_its_beginning(small):
    test = page(BertState(model="base", selected=LAYER, step=4))
    test.selectbox(key="kind").set_value("tiny").run()
    assert whole(test)
    assert (shown(test).model, shown(test).selected, shown(test).step) == ("tiny", None, 0)


# ---- the backward pass of a box --------------------------------------------------------------------------------------
def test_the_backward_pass_of_attention_is_the_textbook_one(small):
    test = page(BertState(model="tiny", selected=SELF))
    assert whole(test)
    forward, backward = (one.value for one in test.latex)
    assert r"P &= \operatorname{softmax}(S_{\mathrm{padded}})" in forward
    for line in (
        r"\bar{V}_{h} &= P^\top {} \bar{O}_{h}",
        r"P \odot (\bar{P} - \operatorname{rowsum}(\bar{P} \odot P))",
    ):
        assert line in backward
    assert r"Arrives: $\bar{O}^{(1)}$ (2, 8, 8). Leaves: $\bar{Y}^{(0)}$ (2, 8, 8), " in "".join(
        one.value for one in test.markdown
    )


def test_every_box_and_every_node_has_its_backward_pass_or_a_reason(small):
    source = subjects.tiny().source
    trace = whole_trace(source)
    boxless = {node.id for node in trace.forward_nodes}
    edges = [step for step in trace.steps if step.kind == "edge"]
    sending, receiving = {step.user for step in edges}, {step.node for step in edges}
    for name in [*boxes_of(trace).boxes, *(node.id for node in trace.forward_nodes)]:
        part = written(source, (), name)
        if part.operations > MOST_OPERATIONS:
            assert not part.ways
        elif name not in boxless or name in sending | receiving:
            assert part.ways, name
        elif trace.node(name).role == "input":
            assert not part.ways, "ids and masks have no gradient"
        assert all("^{(0)}^" not in way.forward + way.backward for way in part.ways), "TeX refuses two superscripts"


def test_parts_of_an_opened_softmax_have_their_backward_pass(small):
    source = subjects.tiny().source
    softmax = next(node.id for node in whole_trace(source).forward_nodes if node.op == "softmax")
    opened = whole_trace(source, (softmax,))
    inner = [node.id for node in opened.forward_nodes if node.id.startswith(f"{softmax}.")]
    assert len(inner) > 2
    assert any(written(source, (softmax,), name).ways for name in inner)


# ---- parameters ------------------------------------------------------------------------------------------------------
def test_the_table_counts_what_pytorch_counts(small):
    rows = {row.part: row for row in counted(built(subjects.tiny().source).graph)}
    module = BertForPreTraining(BertConfig.parity())
    own = {name: parameter.numel() for name, parameter in module.named_parameters()}
    starts = {
        "embeddings": "bert.embeddings.",
        "layer.0": "bert.encoder.layer.0.",
        "layer.1": "bert.encoder.layer.1.",
        "pooler": "bert.pooler.",
        "head: masked tokens": "cls.predictions.",
        "head: next sentence": "cls.seq_relationship.",
        "all": "",
    }
    assert rows.keys() == starts.keys()
    for part, start in starts.items():
        sizes = [size for name, size in own.items() if name.startswith(start)]
        assert (rows[part].tensors, rows[part].parameters) == (len(sizes), sum(sizes)), part


# ---- the check -------------------------------------------------------------------------------------------------------
def checked(test: AppTest) -> AppTest:
    """The page after its check."""
    test.button(key="check").click().run()
    test.session_state[checking.JOB]._thread.join(60)
    return test.run()


def test_the_check_agrees_and_shows_every_tensor_worst_first(small):
    test = checked(page(BertState(model="tiny")))
    assert whole(test) and "Everything agrees within its bound." in said(test)
    table = test.dataframe[0].value
    assert len(table) == 148 and set(table["verdict"]) == {"ok", "zero by identity"}
    assert "51 values and 97 gradients compared" in said(test)


def test_a_miss_is_named_and_opened_in_the_graph(small, monkeypatch):
    test = page(BertState(model="tiny"))
    own = subjects.deepcopy

    def faulty(module):
        module = own(module)
        module.bert.encoder.layer[1].output.LayerNorm.eps = 1e-3
        return module

    monkeypatch.setattr(subjects, "deepcopy", faulty)
    test = checked(test)
    assert not test.exception and "They part at bert.encoder.layer.1.output.Y (value)." in said(test)
    source = subjects.tiny().source
    assert whole_trace(source).node(shown(test).selected).name == "bert_encoder_layer_1_output_Y"
    assert {"s:bert.encoder.layer.*", "s:bert.encoder.layer.1", "s:bert.encoder.layer.1.output"} <= {
        *shown(test).opened
    }
    test.run()
    assert r"\bar{Y}" in test.latex[1].value


def test_every_compared_tensor_is_found_in_the_graph(small):
    subject = subjects.tiny()
    rows = checking.cross_check(*subject.prepare()).rows
    nodes = whole_trace(subject.source).forward_nodes
    assert all(sum(is_called(node, row.name) for node in nodes) == 1 for row in rows)


def test_a_check_can_be_stopped_and_begun_again(small, monkeypatch):
    reached, go_on = threading.Event(), threading.Event()

    def waits(module, inputs, progress):
        progress("forward", 1, 2)
        reached.set()
        go_on.wait(30)
        progress("forward", 2, 2)
        raise AssertionError("it went on")

    monkeypatch.setattr(checking, "cross_check", waits)
    test = page(BertState(model="tiny"))
    test.button(key="check").click().run()
    assert reached.wait(30) and test.button(key="check").disabled
    test.button(key="stop").click().run()
    go_on.set()
    test.session_state[checking.JOB]._thread.join(30)
    test.run()
    assert "Stopped; nothing was compared." in said(test) and not test.button(key="check").disabled


@pytest.mark.parametrize(
    ("fault", "answer"),
    [(MemoryError(), "There is not enough memory"), (GraphLabError("no such thing"), "no such thing")],
)
def test_a_check_that_fails_says_why(small, monkeypatch, fault, answer):
    def fails(*_, **__):
        raise fault

    monkeypatch.setattr(checking, "cross_check", fails)
    assert answer in said(checked(page(BertState(model="tiny"))))


def test_revealing_what_is_not_in_the_graph_changes_nothing(small):
    state = BertState(model="tiny")
    reveal(state, subjects.tiny().source, "pooler.nothing")
    assert state.selected is None and state.opened is None
