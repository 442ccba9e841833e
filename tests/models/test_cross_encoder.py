"""Cross-encoders: real graphs, real tokenizers, and the judgements computed by hand beside them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import yaml

pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")
pytest.importorskip("tokenizers")

from tiny import make as make_embedder
from tiny import write
from tiny_cross_encoder import TinyJudge, make

from desk import Desk
from pincite.errors import Damaged, InvalidArgument, NotFound
from pincite.models.cross_encoder import CrossEncoder
from pincite.models.samples import SAMPLES
from pincite.search.second_look import GRID
from terminal import Run

QUERY = "must the tenant notify the landlord"
PASSAGE = "The tenant must notify the landlord of defects without delay."


def sigmoid(logits: np.ndarray) -> float:
    return float(1 / (1 + np.exp(-logits[0])))


def softmax(logits: np.ndarray, at: int) -> float:
    powers = np.exp(logits - logits.max())
    return float(powers[at] / powers.sum())


def judged(tiny: TinyJudge, query: str, text: str) -> float:
    return float(CrossEncoder(tiny.folder).score(query, [text])[0])


def by_hand(tiny: TinyJudge, query: str, text: str) -> np.ndarray:
    return tiny.logits(tiny.words(query), tiny.words(text))


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> TinyJudge:
    return make(tmp_path_factory.mktemp("judge") / "model")


def test_one_output_is_read_through_a_sigmoid(tiny: TinyJudge) -> None:
    for text in SAMPLES[:20]:
        assert judged(tiny, QUERY, text) == pytest.approx(sigmoid(by_hand(tiny, QUERY, text)), abs=1e-6)
    scores = CrossEncoder(tiny.folder).score(QUERY, SAMPLES)
    assert scores.max() - scores.min() > 0.2, "the model must tell texts apart for this to mean anything"


def test_question_and_passage_are_not_exchangeable(tiny: TinyJudge) -> None:
    assert judged(tiny, QUERY, PASSAGE) != pytest.approx(judged(tiny, PASSAGE, QUERY), abs=1e-4)


def test_token_types_tell_question_from_passage_when_the_graph_asks(tmp_path: Path) -> None:
    typed = make(tmp_path / "typed", typed=True)
    assert judged(typed, QUERY, PASSAGE) == pytest.approx(sigmoid(by_hand(typed, QUERY, PASSAGE)), abs=1e-6)


@pytest.mark.parametrize(
    ("outputs", "labels", "positive"),
    [
        (2, (), 1),
        (2, ("LABEL_0", "LABEL_1"), 1),
        (2, ("relevant", "not_relevant"), 0),
        (3, ("contradiction", "entailment", "neutral"), 1),
        (3, ("yes", "true", "other"), 2),
    ],
)
def test_of_several_outputs_the_positive_one_is_read_through_a_softmax(
    tmp_path: Path, outputs: int, labels: tuple[str, ...], positive: int
) -> None:
    tiny = make(tmp_path / "model", outputs=outputs, labels=labels)
    expected = softmax(by_hand(tiny, QUERY, PASSAGE), positive)
    assert judged(tiny, QUERY, PASSAGE) == pytest.approx(expected, abs=1e-6)
    described = CrossEncoder(tiny.folder).describe()["score"]
    assert described.startswith(f"softmax, output {positive + 1} of {outputs}")
    assert (repr(labels[positive]) in described) if labels else ("'" not in described)


def test_labels_that_the_model_does_not_give_are_refused(tmp_path: Path) -> None:
    tiny = make(tmp_path / "model", outputs=2, labels=("a", "b", "c"))
    with pytest.raises(InvalidArgument, match="lists 3 labels, but the model returns 2"):
        judged(tiny, QUERY, PASSAGE)
    write(tiny.folder / "config.json", {"id2label": {"first": "a"}})
    with pytest.raises(Damaged, match="id2label must map each number to a name"):
        CrossEncoder(tiny.folder)


def test_a_long_passage_gives_way_and_the_question_stays_whole(tmp_path: Path) -> None:
    tiny = make(tmp_path / "model", max_length=20)
    query, long = tiny.words(QUERY), tiny.words(PASSAGE * 5)
    assert len(query) == 6 and len(long) > 50
    expected = sigmoid(tiny.logits(query, long[: 20 - 3 - len(query)]))
    assert judged(tiny, QUERY, PASSAGE * 5) == pytest.approx(expected, abs=1e-6)


def test_a_question_keeps_no_more_than_half(tmp_path: Path) -> None:
    tiny = make(tmp_path / "model", max_length=20)
    query, passage = tiny.words(PASSAGE * 3), tiny.words(PASSAGE)
    expected = sigmoid(tiny.logits(query[:10], passage[: 20 - 3 - 10]))
    assert judged(tiny, PASSAGE * 3, PASSAGE) == pytest.approx(expected, abs=1e-6)


def test_a_length_that_leaves_no_room_is_refused(tmp_path: Path) -> None:
    tiny = make(tmp_path / "model", max_length=4)
    with pytest.raises(InvalidArgument, match="reads only 4 tokens, too few"):
        judged(tiny, PASSAGE, PASSAGE)


def test_a_passage_is_judged_alike_alone_and_in_company(tiny: TinyJudge) -> None:
    reranker = CrossEncoder(tiny.folder)
    together = reranker.score(QUERY, SAMPLES)
    alone = [reranker.score(QUERY, [text]) for text in SAMPLES]
    assert together.tobytes() == np.concatenate(alone).tobytes()
    assert reranker.score(QUERY, SAMPLES[::-1])[::-1].tobytes() == together.tobytes()
    assert CrossEncoder(tiny.folder, threads=2).score(QUERY, SAMPLES).tobytes() == together.tobytes()


def test_an_embedder_is_no_reranker(tmp_path: Path) -> None:
    make_embedder(tmp_path / "embedder")
    with pytest.raises(InvalidArgument, match=r"returns vectors .*; a reranker must be a cross-encoder"):
        CrossEncoder(tmp_path / "embedder").score(QUERY, [PASSAGE])


def test_everything_that_decides_a_judgement_is_in_the_fingerprint(tiny: TinyJudge, tmp_path: Path) -> None:
    same = CrossEncoder(make(tmp_path / "same").folder)
    short = CrossEncoder(make(tmp_path / "short", max_length=20).folder)
    other = CrossEncoder(make(tmp_path / "other", scale=0.5).folder)
    named = CrossEncoder(make(tmp_path / "named", labels=("relevance",)).folder)
    mine = CrossEncoder(tiny.folder)
    assert same.fingerprint == mine.fingerprint, "where a folder lies is no part of it"
    assert len({item.fingerprint for item in (mine, short, other, named)}) == 4
    data = tmp_path / "same" / "onnx" / "model.onnx_data"
    content = bytearray(data.read_bytes())
    content[100] ^= 1
    data.write_bytes(content)
    assert CrossEncoder(tmp_path / "same").fingerprint != mine.fingerprint, "weights outside the graph count"


def test_missing_files_say_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="there is no folder"):
        CrossEncoder(tmp_path / "nowhere")
    tiny = make(tmp_path / "model")
    (tiny.folder / "onnx" / "model.onnx_data").unlink()
    with pytest.raises(Damaged, match="cannot be loaded"):
        judged(tiny, QUERY, PASSAGE)


def test_a_folder_beside_the_configuration_reranks_answers(desk: Desk, run: Run) -> None:
    desk.put(**{f"text{number}": f"# Text {number}\n\n{text}\n" for number, text in enumerate(SAMPLES[:8])})
    tiny = make(desk.root / "settings" / "models" / "judge")
    config = desk.root / "settings" / "pincite.yaml"
    settings = {"library": "../library", "reranker": {"model": "onnx:models/judge", "deadline_seconds": 60}}
    config.write_text(yaml.safe_dump(settings), encoding="utf-8")
    query = "text of the tenant"
    body = json.loads(run("--config", str(config), "search", *query.split(), "--json", "--explain").stdout)
    reranker = CrossEncoder(tiny.folder)
    for hit in body["results"]:
        (judged,) = reranker.score(query, [f"{hit['context']}\n\n{hit['content']}"])
        assert hit["scores"]["rerank"] == pytest.approx(float(judged), abs=1 / GRID)
        assert hit["scores"]["rerank"] * GRID == int(hit["scores"]["rerank"] * GRID), "on the grid"
        assert hit["explain"]["rerank"]["score"] == hit["scores"]["rerank"]
        assert hit["signals"]["rerank"] == pytest.approx(0.3 * hit["scores"]["rerank"])
    assert len({hit["scores"]["rerank"] for hit in body["results"]}) == len(body["results"]) > 3
    again = json.loads(run("--config", str(config), "replay", body["replay"]["token"], "--json").stdout)
    assert [(h["citation"], h["score"], h["signals"]) for h in again["results"]] == [
        (h["citation"], h["score"], h["signals"]) for h in body["results"]
    ]
