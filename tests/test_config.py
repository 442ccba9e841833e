"""Settings: arguments over environment over file over defaults; what is unknown is refused by its nearest name."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

import pincite
from pincite.errors import InvalidArgument, NotFound, UnknownArgument
from pincite.fields import STRUCTURAL
from pincite.queries import Scoring
from pincite.settings import Config, load_config


def write(folder: Path, text: str) -> Path:
    path = folder / "pincite.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_defaults_are_those_of_the_requirements() -> None:
    config = load_config(None, {})
    assert (config.library, config.tenant, config.organization, config.repository) == (
        ".pincite",
        "default",
        "default",
        "main",
    )
    scoring = config.keyword
    assert (scoring.k1, scoring.b) == (1.2, 0.75)
    boosts = [scoring.boost(name) for name in ("content", "headings", "section", "terms", "other")]
    assert boosts == [1.0, 2.0, 2.0, 3.0, 0.0]
    assert (config.chunking.max_chunk_tokens, config.chunking.chunk_overlap) == (800, 50)


def test_the_order_of_sources(tmp_path: Path) -> None:
    path = write(tmp_path, "tenant: file\nrepository: file\nkeyword: {k1: 1.1, b: 0.5}\n")
    config = load_config(path, {"PINCITE_TENANT": "env", "PINCITE_KEYWORD__K1": "1.2", "PINCITE_AUTHOR": "ann"})
    assert (config.tenant, config.repository, config.keyword.k1, config.keyword.b) == ("env", "file", 1.2, 0.5)
    assert load_config({"tenant": "given"}, {"PINCITE_TENANT": "env"}).tenant == "given"
    assert load_config(config) is config


def test_where_the_library_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    path = write(tmp_path, "library: data\n")
    assert load_config(path, {}).library == str(tmp_path / "data")
    assert load_config(path, {"PINCITE_LIBRARY": "elsewhere"}).library == "elsewhere"
    assert load_config(write(tmp_path, ""), {}).library == str(tmp_path / ".pincite")
    assert load_config(write(tmp_path, "library: ~/law"), {}).library == "/home/ann/law"
    assert load_config("~/law", {}).library == "/home/ann/law"
    assert load_config({"library": "~/law"}, {}).library == "/home/ann/law"
    assert load_config(tmp_path / "folder", {"PINCITE_LIBRARY": "elsewhere"}).library == str(tmp_path / "folder")


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("tennant: x", UnknownArgument, "did you mean 'tenant'"),
        ("keyword: {k3: 1}", UnknownArgument, r"did you mean 'keyword\.k1'"),
        ("retrieval: {ranks: {semantc: 1}}", UnknownArgument, r"did you mean 'retrieval\.ranks\.semantic'"),
        ("retrieval: {kinds: {tool: {question: {dens: 1}}}}", UnknownArgument, r"tool\.question\.dense'"),
        ("retrieval: {ranks: {semantic: 0, keyword: 0, exact: 0}}", InvalidArgument, "at least one weight"),
        ("keyword: {boosts: {heading: 1}}", UnknownArgument, r"keyword\.boosts\.headings"),
        ("1: x", UnknownArgument, "unknown setting '1'"),
        ("keyword: {b: 2}", InvalidArgument, r"'keyword\.b'.*less than or equal to 1"),
        ("chunking: {max_chunk_tokens: 50}", InvalidArgument, "greater than or equal to 100"),
        ("chunking: {chunk_overlap: 500}", InvalidArgument, "'chunking': chunk_overlap must be at most half"),
        ("chunking: {chunk_overlp: 5}", UnknownArgument, r"did you mean 'chunking\.chunk_overlap'"),
        ("keyword: 5", InvalidArgument, "keyword"),
        ("library: 5", InvalidArgument, "library"),
        ("tenant: ''", InvalidArgument, "tenant"),
        ("[1, 2]", InvalidArgument, "settings by name"),
        ("a: [", InvalidArgument, "not valid YAML"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        load_config(write(tmp_path, text), {})


def test_mistakes_in_the_environment_are_named() -> None:
    with pytest.raises(UnknownArgument, match=r"keyword\.k1"):
        load_config(None, {"PINCITE_KEYWORD__K2": "1"})
    with pytest.raises(InvalidArgument, match="keyword"):
        load_config(None, {"PINCITE_KEYWORD": "5", "PINCITE_KEYWORD__K1": "x"})
    assert load_config(None, {"PINCITE_TENANT": "", "OTHER": "x"}) == Config()


def test_a_missing_or_unreadable_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no configuration file"):
        load_config(tmp_path / "none.yaml", {})
    (tmp_path / "folder.yaml").mkdir()
    with pytest.raises(InvalidArgument, match="cannot be read"):
        load_config(tmp_path / "folder.yaml", {})


def test_an_address_is_kept_as_it_is_written(tmp_path: Path) -> None:
    assert load_config("name://user@db/x.yaml", environ={}).library == "name://user@db/x.yaml"
    path = tmp_path / "pincite.yaml"
    path.write_text("library: name://db/x\nfolder: node\n", encoding="utf-8")
    config = load_config(path, environ={})
    assert (config.library, config.folder) == ("name://db/x", str(tmp_path / "node"))


def test_an_engine_that_nobody_has_is_refused_by_the_nearest_name() -> None:
    with pytest.raises(InvalidArgument, match="unknown index 'segment'; did you mean 'segments'") as caught:
        load_config({"index": "segment"}, environ={})
    assert caught.value.field == "index"
    assert load_config({"index": "sqlite_vec"}, environ={}).index == "sqlite_vec"


def test_a_misspelt_section_in_the_environment_is_refused_and_foreign_names_are_left_alone() -> None:
    with pytest.raises(UnknownArgument, match="'keyword'"):
        load_config(None, {"PINCITE_KEYWROD__K1": "1"})
    assert load_config(None, {"PINCITE_TEST_DATA": "x", "PINCITE_OTHER__THING": "y"}).keyword.k1 == 1.2


def test_no_reranker_is_configured_unless_one_is_named(tmp_path: Path) -> None:
    config = load_config(None, {})
    assert config.reranker.model == ""
    given = config.reranker
    assert (given.weight, given.depth, given.deadline_seconds, given.threads) == (0.3, 30, 5.0, 1)
    assert load_config(None, {"PINCITE_RERANKER__MODEL": "onnx:here"}).reranker.model == "onnx:here"
    for wrong in ("weight: 0", "weight: 1.5", "depth: 0", "depth: 201", "deadline_seconds: 0"):
        with pytest.raises(InvalidArgument, match=r"reranker\."):
            load_config(write(tmp_path, f"reranker: {{{wrong}}}"), {})
    with pytest.raises(UnknownArgument, match=r"did you mean 'reranker\.weight'"):
        load_config(write(tmp_path, "reranker: {weigth: 0.3}"), {})


@pytest.mark.parametrize(
    ("given", "meant"),
    [("onnx:models/judge", "onnx:{here}/models/judge"), ("onnx:/opt/judge", "onnx:/opt/judge"), ("overlap", "overlap")],
)
def test_the_folder_of_a_reranker_is_relative_to_the_file(tmp_path: Path, given: str, meant: str) -> None:
    config = load_config(write(tmp_path, f"reranker: {{model: '{given}', depth: 5}}"), {})
    assert config.reranker.model == meant.format(here=tmp_path)
    assert config.reranker.depth == 5


@pytest.mark.parametrize(
    "retrieval",
    [{"trust": {"none_below": 1.0}}, {"trust": {"none_below": 2}}, {"need": {"plain": 1.0, "none_above": 0.3}}],
)
def test_ranges_that_run_backwards_are_refused(retrieval: dict[str, object]) -> None:
    with pytest.raises(InvalidArgument, match="must be below"):
        load_config({"retrieval": retrieval})


def test_words_of_settings_are_words(tmp_path: Path) -> None:
    """YAML 1.1 would take them for truth values."""
    path = tmp_path / "pincite.yaml"
    path.write_text("dense: off\ncontextual_embeddings: no\nserve: {auth: {mode: off}}\n", encoding="utf-8")
    config = load_config(path, {})
    assert (config.dense, config.contextual_embeddings, config.serve.auth.mode) == ("off", False, "off")


def test_a_setting_that_is_given_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pincite.yaml"
    path.write_text("keyword:\n  k1: 1.2\n  k1: 1.5\n", encoding="utf-8")
    with pytest.raises(InvalidArgument, match=r"'k1' is given twice.*\n.*the file.*line 3"):
        load_config(path, {})


def test_boosts_take_the_fields_of_kinds_and_name_the_nearest_for_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pincite.settings.config.declared_fields", lambda: {**STRUCTURAL, "oncall": 2.0})
    config = load_config(write(tmp_path, "keyword: {boosts: {oncall: 4, headings: 1.5}}"), {})
    boosts = [config.keyword.boost(name) for name in ("content", "headings", "oncall", "owner")]
    assert boosts == [1.0, 1.5, 4.0, 0.0]
    with pytest.raises(UnknownArgument, match=r"keyword\.boosts\.oncal'; did you mean 'keyword\.boosts\.oncall'"):
        load_config(write(tmp_path, "keyword: {boosts: {oncal: 4}}"), {})
    with pytest.raises(InvalidArgument, match="oncall"):
        load_config(write(tmp_path, "keyword: {boosts: {oncall: -1}}"), {})


def test_scoring_is_checked_by_one_rule_in_code_and_in_a_file() -> None:
    for stated in ({"k1": -1.0}, {"b": 1.5}, {"boosts": {"content": 101.0}}, {"literal": 2.0}):
        with pytest.raises(ValidationError):
            Scoring(**stated)  # type: ignore[arg-type]
        with pytest.raises(InvalidArgument, match=rf"keyword\.{next(iter(stated))}"):
            load_config({"keyword": stated}, {})


def test_the_fields_of_kinds_keep_their_measure_where_the_settings_state_none(tmp_path: Path) -> None:
    with pincite.open(tmp_path / "library", keyword={"boosts": {"headings": 5}}) as library:
        assert library.scoring.boosts == {**library.kinds.fields, "headings": 5.0}
        assert library.kinds.fields["headings"] != 5.0


def test_settings_of_an_unknown_kind_name_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UnknownArgument, match=r"kinds\.document'; did you mean 'kinds\.documents'"):
        load_config(write(tmp_path, "kinds: {document: {x: 1}}"), {})
