"""Requests: strict, and helpful about it."""

from __future__ import annotations

from typing import Any

import pytest

from pincite.errors import InvalidArgument, UnknownArgument
from pincite.serve.operations import OPERATIONS, operation_named, parse
from pincite.serve.requests import names_of

SEARCH = OPERATIONS["semanticSearch"]


def refusal(arguments: dict[str, Any], name: str = "semanticSearch") -> InvalidArgument:
    with pytest.raises(InvalidArgument) as refused:
        parse(OPERATIONS[name], arguments)
    return refused.value


@pytest.mark.parametrize(
    ("given", "meant"),
    [("qery", "query"), ("limit", "top_k"), ("repository", "repository_id"), ("min_scor", "min_score")],
)
def test_an_unknown_argument_is_answered_with_the_nearest(given: str, meant: str) -> None:
    error = refusal({"query": "leave", given: "x"})
    assert isinstance(error, UnknownArgument)
    assert error.field == given
    assert meant in error.suggestions
    assert repr(meant) in error.message


@pytest.mark.parametrize("empty", ["", None])
def test_an_empty_optional_argument_is_absent(empty: str | None) -> None:
    optional = [name for name in names_of(SEARCH.request) if name != "query"]
    assert parse(SEARCH, {"query": "leave", **dict.fromkeys(optional, empty)}) == parse(SEARCH, {"query": "leave"})
    filters = {"language": empty, "owner": "office"}
    assert parse(SEARCH, {"query": "leave", "filters": filters}).filters == {"owner": "office"}  # type: ignore[attr-defined]


def test_an_empty_query_is_not_absent_but_refused() -> None:
    assert refusal({}).field == "query"
    assert refusal({"query": None}).field == "query"


@pytest.mark.parametrize(
    ("field", "given", "said"),
    [
        ("top_k", "3", "a whole number without quotation marks"),
        ("top_k", 3.5, "a whole number"),
        ("top_k", True, "a whole number"),
        ("top_k", 101, "100"),
        ("top_k", 0, "1"),
        ("min_score", "0.5", "a number"),
        ("min_score", 2, "1"),
        ("explain", "true", "true or false without quotation marks"),
        ("explain", 1, "true or false"),
        ("query", 5, "a string"),
        ("repository_id", 5, "a string or a list"),
        ("repository_id", ["a", 5], "a string"),
        ("read_context", 5, "an object or a string"),
        ("filters", ["a"], "an object"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_by_its_name(field: str, given: object, said: str) -> None:
    error = refusal({"query": "leave", field: given})
    assert error.field == field
    assert said in error.message
    assert "pydantic" not in error.message


def test_only_what_is_written_in_quotation_marks_is_told_to_lose_them() -> None:
    assert refusal({"query": "leave", "top_k": "many"}).message == "top_k must be a whole number, not 'many'"


def test_a_number_out_of_range_is_refused_with_its_bound() -> None:
    assert refusal({"query": "leave", "top_k": 0}).message == "top_k must be greater than or equal to 1, not 0"


@pytest.mark.parametrize("span", ["0-20", ["a", "b"], ["0-20"], [5], [1, 2, 3], [1.5, 2], {"start": 1}])
def test_a_span_that_is_none_is_told_how_one_is_written(span: object) -> None:
    error = refusal({"element": "a.md", "span": span}, "getElement")
    assert error.message == f"span must be two whole numbers, [start, end], counted in characters, not {span!r}"
    assert error.field == "span"


@pytest.mark.parametrize("name", ["tenant", "organization_id", "roles"])
def test_who_asks_is_no_argument(name: str) -> None:
    error = refusal({"query": "leave", name: "other"})
    assert isinstance(error, UnknownArgument)
    assert "come from its token, never from the request" in error.message and "did you mean" not in error.message
    assert (error.field, error.suggestions) == (name, ())


def test_a_value_that_is_not_among_those_known_is_answered_with_the_nearest() -> None:
    error = refusal({"query": "leave", "mode": "keywrd"})
    assert error.suggestions[0] == "keyword"


def test_a_misspelt_field_of_a_quote_is_found() -> None:
    error = refusal({"quotes": [{"quote": "a", "citatoin": "b"}]}, "verifyCitations")
    assert error.field == "quotes.0.citatoin"
    assert error.suggestions == ("citation",)


def test_an_unknown_operation_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownArgument, match="semanticSearch"):
        operation_named("semanticSerch")


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_schema_is_strict_and_described(name: str) -> None:
    """Models choose tools by these words."""
    schema = OPERATIONS[name].request.model_json_schema(by_alias=True)
    assert schema["additionalProperties"] is False
    assert len(schema["description"]) > 20
    assert "lambda" not in str(schema)
