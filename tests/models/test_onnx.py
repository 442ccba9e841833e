"""Real graphs, real tokenizers, and the numbers computed by hand beside them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")
pytest.importorskip("tokenizers")

from tiny import HIDDEN, Tiny, make, write, write_side_files

from pincite.errors import Damaged, InvalidArgument, NotFound
from pincite.meaning import Calibration
from pincite.models.identity import external_files
from pincite.models.onnx import CALIBRATIONS, OnnxEmbedder
from pincite.models.samples import SAMPLES
from pincite.types import EmbeddedText

TEXT = "The tenant must notify the landlord of defects without delay."


def near(given: np.ndarray, expected: np.ndarray) -> bool:
    return bool(np.allclose(given, expected / np.linalg.norm(expected), atol=1e-6))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    return make(tmp_path_factory.mktemp("tiny") / "model")


@pytest.fixture
def tiny(made: Tiny, tmp_path: Path) -> Tiny:
    """A copy that a test may change."""
    folder = tmp_path / "model"
    shutil.copytree(made.folder, folder)
    return Tiny(folder, made.tokens, made.positions, made.weights, made.tokenizer)


@pytest.mark.parametrize(
    ("pooling", "by_hand"),
    [
        ("mean", lambda h: h.mean(axis=0)),
        ("mean_sqrt_len_tokens", lambda h: h.sum(axis=0) / np.sqrt(len(h))),
        ("cls", lambda h: h[0]),
        ("max", lambda h: h.max(axis=0)),
        ("weightedmean", lambda h: (h * np.arange(1, len(h) + 1)[:, None]).sum(axis=0)),
        ("lasttoken", lambda h: h[-1]),
    ],
)
def test_pooling_is_what_numpy_gives_by_hand_alone_and_in_a_padded_batch(tiny: Tiny, pooling, by_hand) -> None:
    write_side_files(tiny.folder, pooling=pooling)
    embedder = OnnxEmbedder(tiny.folder)
    assert near(embedder.embed_query(TEXT), by_hand(tiny.hidden(TEXT)))
    for vector, text in zip(embedder.embed(SAMPLES), SAMPLES, strict=True):
        assert near(vector, by_hand(tiny.hidden(text)))


def test_newer_folders_name_their_pooling_in_one_word(tiny: Tiny) -> None:
    write(tiny.folder / "1_Pooling" / "config.json", {"embedding_dimension": HIDDEN, "pooling_mode": "cls"})
    assert near(OnnxEmbedder(tiny.folder).embed_query(TEXT), tiny.hidden(TEXT)[0])


def test_prompts_are_put_before_questions_and_passages(tiny: Tiny) -> None:
    write_side_files(tiny.folder, prompts={"query": "The court: ", "document": "Fresh bread "})
    embedder = OnnxEmbedder(tiny.folder)
    assert near(embedder.embed_query(TEXT), tiny.hidden("The court: " + TEXT).mean(axis=0))
    assert near(embedder.embed([TEXT])[0], tiny.hidden("Fresh bread " + TEXT).mean(axis=0))


def test_a_default_prompt_is_put_before_both(tiny: Tiny) -> None:
    stated = {"prompts": {"any": "Fresh bread "}, "default_prompt_name": "any"}
    write(tiny.folder / "config_sentence_transformers.json", stated)
    embedder = OnnxEmbedder(tiny.folder)
    expected = tiny.hidden("Fresh bread " + TEXT).mean(axis=0)
    assert near(embedder.embed_query(TEXT), expected)
    assert near(embedder.embed([TEXT])[0], expected)


def test_a_long_text_is_cut_to_the_stated_number_of_tokens(tiny: Tiny) -> None:
    write_side_files(tiny.folder, max_length=8)
    embedder = OnnxEmbedder(tiny.folder)
    assert near(embedder.embed_query(TEXT), tiny.hidden(TEXT, max_length=8).mean(axis=0))
    assert (embedder.embed_query(TEXT) == embedder.embed_query(TEXT + " And more of it.")).all()


def test_an_output_that_is_pooled_already_is_taken_as_it_is(tmp_path: Path) -> None:
    tiny = make(tmp_path / "pooled", output="sentence_embedding", pooling="cls")
    ids = tiny.tokenizer.encode(TEXT).ids
    expected = (tiny.tokens[ids] + tiny.positions[2 : 2 + len(ids)]).mean(axis=0)
    assert near(OnnxEmbedder(tiny.folder).embed_query(TEXT), expected)


def test_token_types_are_given_when_the_graph_asks(tmp_path: Path) -> None:
    tiny = make(tmp_path / "typed", extra_input="token_type_ids")
    assert near(OnnxEmbedder(tiny.folder).embed_query(TEXT), tiny.hidden(TEXT).mean(axis=0))


def test_an_input_that_nobody_knows_is_named(tmp_path: Path) -> None:
    tiny = make(tmp_path / "strange", extra_input="pixel_values")
    with pytest.raises(InvalidArgument, match="needs the inputs pixel_values; supported: input_ids"):
        OnnxEmbedder(tiny.folder).embed_query(TEXT)


def test_a_bare_folder_works_and_says_what_was_assumed(tiny: Tiny, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    shutil.copytree(tiny.folder / "onnx", bare)
    shutil.copy(tiny.folder / "tokenizer.json", bare)
    embedder = OnnxEmbedder(bare)
    assert near(embedder.embed_query(TEXT), tiny.hidden(TEXT).mean(axis=0))
    assert embedder.dimensions == HIDDEN
    assert "mean pooling" in embedder.describe()["assumed"]
    assert "512 tokens" in embedder.describe()["assumed"]
    assert OnnxEmbedder(tiny.folder).describe()["assumed"] == "nothing"


def test_the_limit_of_xlm_r_leaves_out_the_positions_before_the_padding(tiny: Tiny) -> None:
    (tiny.folder / "sentence_bert_config.json").unlink()
    write(tiny.folder / "config.json", {"model_type": "xlm-roberta", "max_position_embeddings": 514})
    assert OnnxEmbedder(tiny.folder).describe()["max_length"] == "512"


def test_a_tokenizer_saved_with_padding_and_truncation_is_told_otherwise(tiny: Tiny) -> None:
    stated = json.loads((tiny.folder / "tokenizer.json").read_text(encoding="utf-8"))
    stated["truncation"] = {"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0}
    stated["padding"] = {
        "strategy": {"Fixed": 60}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 1, "pad_type_id": 0,
        "pad_token": "<pad>",
    }  # fmt: skip
    write(tiny.folder / "tokenizer.json", stated)
    assert near(OnnxEmbedder(tiny.folder).embed_query(TEXT), tiny.hidden(TEXT)[:62].mean(axis=0))


def test_weights_outside_the_graph_are_part_of_the_fingerprint(tiny: Tiny) -> None:
    before = OnnxEmbedder(tiny.folder).fingerprint
    data = tiny.folder / "onnx" / "model.onnx_data"
    assert external_files(tiny.folder / "onnx" / "model.onnx") == (data,)
    content = bytearray(data.read_bytes())
    content[100] ^= 1
    data.write_bytes(content)
    assert OnnxEmbedder(tiny.folder).fingerprint != before


def test_the_place_of_a_folder_is_not_part_of_the_fingerprint(tiny: Tiny, made: Tiny) -> None:
    assert OnnxEmbedder(tiny.folder).fingerprint == OnnxEmbedder(made.folder).fingerprint


def test_missing_weights_are_reported_as_damage(tiny: Tiny) -> None:
    (tiny.folder / "onnx" / "model.onnx_data").unlink()
    with pytest.raises(Damaged, match="cannot be loaded"):
        OnnxEmbedder(tiny.folder).embed_query(TEXT)


def test_a_module_that_we_would_have_to_compute_is_refused(tiny: Tiny) -> None:
    write(tiny.folder / "modules.json", [{"path": "2_Dense", "type": "sentence_transformers.models.Dense"}])
    with pytest.raises(InvalidArgument, match="the module 'Dense', which is not supported"):
        OnnxEmbedder(tiny.folder)


def test_two_ways_of_pooling_at_once_are_refused(tiny: Tiny) -> None:
    both = {"pooling_mode_cls_token": True, "pooling_mode_max_tokens": True}
    write(tiny.folder / "1_Pooling" / "config.json", both)
    with pytest.raises(InvalidArgument, match=r"states pooling \['cls', 'max'\]"):
        OnnxEmbedder(tiny.folder)


def test_an_unknown_way_of_pooling_is_refused(tiny: Tiny) -> None:
    write(tiny.folder / "1_Pooling" / "config.json", {"pooling_mode": "attention"})
    with pytest.raises(InvalidArgument, match="states pooling \\['attention'\\]"):
        OnnxEmbedder(tiny.folder)


def test_dimensions_that_the_model_does_not_give_are_refused(tiny: Tiny) -> None:
    write(tiny.folder / "1_Pooling" / "config.json", {"pooling_mode": "mean", "word_embedding_dimension": 384})
    with pytest.raises(InvalidArgument, match="states 384 dimensions, the model gives 16"):
        OnnxEmbedder(tiny.folder).embed_query(TEXT)


def test_a_folder_without_a_model_or_tokenizer_says_what_is_missing(tiny: Tiny, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="there is no folder"):
        OnnxEmbedder(tmp_path / "nowhere")
    with pytest.raises(NotFound, match="there is no model"):
        OnnxEmbedder(tmp_path / "nowhere.onnx")
    (tiny.folder / "tokenizer.json").unlink()
    with pytest.raises(NotFound, match=r"has no tokenizer\.json"):
        OnnxEmbedder(tiny.folder)
    (tiny.folder / "onnx" / "model.onnx").unlink()
    with pytest.raises(NotFound, match=r"has no ONNX model; looked for onnx/model\.onnx"):
        OnnxEmbedder(tiny.folder)


def test_settings_that_are_no_json_are_damage(tiny: Tiny) -> None:
    (tiny.folder / "modules.json").write_text("{", encoding="utf-8")
    with pytest.raises(Damaged, match=r"modules\.json is not JSON"):
        OnnxEmbedder(tiny.folder)


def test_calibration_follows_the_pooling_unless_the_folder_knows_better(tiny: Tiny) -> None:
    assert OnnxEmbedder(tiny.folder).calibration == CALIBRATIONS["mean"]
    write(tiny.folder / "pincite.json", {"calibration": {"unrelated": 0.3, "same": 0.7}})
    assert OnnxEmbedder(tiny.folder).calibration == Calibration(0.3, 0.7)


def test_a_slip_in_our_own_file_is_named(tiny: Tiny) -> None:
    write(tiny.folder / "pincite.json", {"calibation": {}})
    with pytest.raises(Damaged, match=r"pincite\.json: calibation: Extra inputs are not permitted"):
        OnnxEmbedder(tiny.folder)
    write(tiny.folder / "pincite.json", {"windows": {"most": 1}})
    with pytest.raises(InvalidArgument, match=r"windows: .*'most'"):
        OnnxEmbedder(tiny.folder)


def test_our_own_file_can_ask_for_one_window_and_other_prompts(tiny: Tiny) -> None:
    before = OnnxEmbedder(tiny.folder).fingerprint
    write(tiny.folder / "pincite.json", {"windows": {"max_windows": 1}, "prompts": {"query": "Fresh bread "}})
    embedder = OnnxEmbedder(tiny.folder)
    assert len(embedder.windows(EmbeddedText("One sentence stands here. Another stands there."))) == 1
    assert near(embedder.embed_query(TEXT), tiny.hidden("Fresh bread " + TEXT).mean(axis=0))
    assert embedder.fingerprint != before


def test_many_texts_of_all_lengths_come_back_in_their_order(tiny: Tiny) -> None:
    texts = [" ".join(SAMPLES[number % 64].split()[: 1 + number % 9]) for number in range(150)]
    embedder = OnnxEmbedder(tiny.folder)
    assert all(near(v, tiny.hidden(t).mean(axis=0)) for v, t in zip(embedder.embed(texts), texts, strict=True))
