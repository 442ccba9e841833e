"""What a search answers: its shape, its order, its totals, its absences, its filters."""

from __future__ import annotations

from typing import Any

import pytest

import pincite
from desk import Desk
from pincite import wire
from pincite.errors import InvalidArgument, NotFound, PermissionDenied, UnknownArgument
from pincite.search import legs

DATED = "---\ndate: {date}\nlanguage: en\ncourt: {court}\n---\n# Case {name}\n\nThe words of the ruling.\n"

# --- the contract of REQUIREMENTS §4 --------------------------------------------------------------------------

RESPONSE = {
    "results": list, "read_context": dict, "legs": list, "total": int, "total_is_lower_bound": bool,
    "next_cursor": (str, type(None)), "replay": dict, "score_scale": str, "notes": list,
}  # fmt: skip
RESULT = {
    "element_id": str, "repository_id": str, "element_name": str, "element_type": str, "kind": str,
    "layer": (str, type(None)), "version_id": str, "citation": str, "citation_text": str, "content": str,
    "context": str, "span": list, "section_id": (str, type(None)), "parent_chain": list, "source_path": str,
    "file_type": str, "chunk_index": int,
    "chunk_type": str, "language": (str, type(None)), "page": (int, type(None)), "metadata": dict, "score": float,
    "read_context": dict, "scores": dict, "passages": list, "definitions": list, "signals": dict, "explain": dict,
}  # fmt: skip
LEG = {"name": str, "status": str, "candidates": int, "ms": float, "reason": (str, type(None))}
CONTEXT = {"selector": str, "revision": int, "as_of": str, "valid_at": str, "repository_id": str, "head": int}
EXPLAINED = {
    "rank": int, "score": float, "raw": float, "chunk_index": int, "elsewhere": float | None, "window": int | None,
    "window_text": str | None, "matched": list,
}  # fmt: skip
PASSAGE = {
    "version_id": str, "citation": str, "citation_text": str, "content": str, "context": str, "span": list,
    "section_id": (str, type(None)),
    "parent_chain": list, "chunk_index": int, "chunk_type": str, "language": (str, type(None)),
    "page": (int, type(None)), "score": float, "legs": dict,
}  # fmt: skip
MATCHED = {"word": str, "terms": list, "idf": float, "share": float, "df": int}


def conforms(value: dict[str, Any], shape: dict[str, Any]) -> None:
    assert value.keys() == shape.keys()
    for key, kind in shape.items():
        assert isinstance(value[key], kind), (key, value[key])


def test_an_answer_has_the_shape_of_the_contract(handbook: pincite.Library) -> None:
    body = wire.answer(handbook.search("annual leave § 4.2", limit=3, explain=True), handbook.describe)
    conforms(body, RESPONSE)
    conforms(body["read_context"], CONTEXT)
    assert body["replay"].keys() == {"token", "replayable"}
    assert [leg["name"] for leg in body["legs"]] == ["dense", "keyword", "exact", "related", "graph"]
    for leg in body["legs"]:
        conforms({**leg, "ms": float(leg["ms"])}, LEG)
    assert len(body["results"]) == 3
    for result in body["results"]:
        conforms(result, RESULT)
        assert result["scores"].keys() == {"semantic", "keyword", "exact", "graph", "rerank"}
        assert result["read_context"] == body["read_context"]
        assert 0 <= result["score"] <= 1
        assert result["passages"][0]["citation"] == result["citation"]
        for passage in result["passages"]:
            conforms(passage, PASSAGE)
        for leg in result["explain"].values():
            conforms(leg, EXPLAINED)
            for word in leg["matched"]:
                conforms(word, MATCHED)


def test_every_answer_says_which_legs_ran_and_why_not(handbook: pincite.Library) -> None:
    def told(mode: str) -> dict[str, tuple[str, str]]:
        return {leg.name: (leg.status, leg.reason) for leg in handbook.search("leave", mode=mode).legs}

    assert told("hybrid") == {
        "dense": ("off", "switched off (dense: off)"),
        "keyword": ("ok", ""),
        "exact": ("ok", ""),
        "related": ("off", "switched off (dense: off)"),
        "graph": ("off", "its weight is 0 (retrieval.graph)"),
    }
    assert told("semantic")["dense"][0] == "unavailable"
    assert told("keyword")["exact"] == ("off", "not part of mode keyword")
    assert {status for status, _ in told("exact").values()} == {"ok", "off"}
    assert handbook.search("leave", mode="semantic").replay["replayable"] is False


def test_a_broken_index_is_a_leg_that_is_unavailable(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.put(a="alpha")

    def broken(*_: object) -> None:
        raise pincite.errors.Damaged("a segment is damaged; run: pincite rebuild")  # type: ignore[attr-defined]

    monkeypatch.setattr(desk.library.index, "keyword", broken)
    answer = desk.search("alpha beta gamma")
    assert answer.absence == "leg_unavailable"
    assert [(leg.status, "rebuild" in leg.reason) for leg in answer.legs if leg.name == "keyword"] == [
        ("unavailable", True)
    ]


# --- order, explanation, totals -------------------------------------------------------------------------------


def test_explanations_add_up_to_the_raw_score(handbook: pincite.Library) -> None:
    for query in ("Hundebiss", "How many days of paid annual leave?", "dépôt de garantie", '"annual leave" days'):
        hits = handbook.search(query, explain=True, limit=20, mode="keyword").hits
        assert hits, query
        for hit in hits:
            keyword = hit.legs["keyword"]
            assert keyword.matched, query
            assert sum(item.share for item in keyword.matched) == pytest.approx(keyword.raw, abs=1e-9)


def test_exact_identifiers_come_first(handbook: pincite.Library) -> None:
    for query, element, section in (
        ("Art. 8 Meldung", "municipality/hundereglement.md", "art.8"),
        ("§ 4.2", "company/leave.md", "4.2"),
        ("section 4.2 annual leave", "company/leave.md", "4.2"),
        ("company/leave.md", "company/leave.md", None),
    ):
        hit = handbook.search(query).hits[0]
        assert (hit.score, hit.passage.element_id) == (1.0, element)
        assert section in (None, hit.passage.section_id)


def test_a_long_namesake_does_not_crowd_out_others(desk: Desk) -> None:
    long = "# Terms\n\n" + "".join(f"## {n}. Clause\n\nfiller\n\n" for n in range(1, 400))
    desk.put(a=long, b="# Terms\n\nshort")
    answer = desk.search("Terms")
    assert [hit.score for hit in answer.hits] == [1.0, 1.0]


def test_the_order_is_total_and_the_same_every_time(desk: Desk) -> None:
    desk.put(**dict.fromkeys("dacbe", "same words in every file"))
    for _ in range(3):
        assert desk.ids("same words") == ["a.md", "b.md", "c.md", "d.md", "e.md"]


def test_totals_are_honest(desk: Desk) -> None:
    for number in range(260):
        desk.write(f"{number:03}.md", f"common words\n\n{'rare' if number < 5 else ''}")
    desk.ingest()
    answer = desk.search("common", mode="keyword", limit=100)
    assert (len(answer.hits), answer.total, answer.total_is_lower_bound) == (100, 260, False)
    assert (desk.search("rare").total, desk.search("rare").total_is_lower_bound) == (5, False)
    last = desk.search("common", mode="keyword", limit=100, cursor=answer.next_cursor)
    assert last.next_cursor == ""
    assert any(f"best of {260}" in note for note in last.notes)
    strict = desk.search("common", mode="keyword", min_score=0.99)
    assert (strict.total, strict.total_is_lower_bound, strict.absence) == (0, False, "no_match")
    assert any("below min_score" in note for note in strict.notes)


def test_min_score_cuts_the_calibrated_score(handbook: pincite.Library) -> None:
    everything = handbook.search("paid annual leave days", limit=100)
    cut = everything.hits[2].score
    kept = handbook.search("paid annual leave days", limit=100, min_score=cut)
    assert [hit.score for hit in kept.hits] == [hit.score for hit in everything.hits if hit.score >= cut]
    assert kept.total == len(kept.hits)


def test_groups_are_elements_or_chunks(handbook: pincite.Library) -> None:
    elements = handbook.search("leave", limit=100)
    chunks = handbook.search("leave", limit=100, group="chunk")
    assert len({hit.passage.element_id for hit in elements.hits}) == len(elements.hits) == elements.total
    assert len({(hit.passage.element_id, hit.passage.chunk) for hit in chunks.hits}) == len(chunks.hits) == chunks.total
    assert chunks.total > elements.total


def test_modes_choose_the_legs(desk: Desk) -> None:
    desk.put(a="# Notice\n\nThe period of notice is long.", b="# Other\n\nnotice the period")
    assert desk.ids("period of notice", mode="exact") == ["a.md"]
    assert desk.ids("a.md", mode="exact") == ["a.md"]
    assert set(desk.ids("period of notice", mode="keyword")) == {"a.md", "b.md"}


def test_sort_by_date_puts_the_undated_last(desk: Desk) -> None:
    for name, date in (("a", "2024-05-01"), ("b", "2025-01-01"), ("c", "2023-12-31")):
        desk.write(f"{name}.md", DATED.format(date=date, court="X", name=name))
    desk.write("d.md", "words of the ruling without a date")
    desk.ingest()
    assert desk.ids("ruling words", sort="date_desc") == ["b.md", "a.md", "c.md", "d.md"]
    assert desk.ids("ruling words", sort="date_asc") == ["c.md", "a.md", "b.md", "d.md"]


# --- filters --------------------------------------------------------------------------------------------------


def test_filters_hold_inside_the_scan(desk: Desk) -> None:
    """A filter that few pass still finds them, however many others rank higher."""
    for number in range(230):
        desk.write(f"{number:03}.md", DATED.format(date="2024-01-01", court="A", name="words ruling words"))
    desk.write("last.md", DATED.format(date="2020-06-30", court="B", name="z"))
    desk.ingest()
    assert desk.ids("words ruling", filters={"court": "B"}) == ["last.md"]
    assert desk.search("words ruling", filters={"court": ["A", "B"]}).total == 231
    for bounds in ({"date_to": "2020-06-30"}, {"date_from": "01.01.2020", "date_to": "31.12.2023"}):
        assert desk.ids("words ruling", filters=bounds) == ["last.md"]
    assert desk.search("words", filters={"date_from": "2020-07-01", "date_to": "31.12.2024"}).total == 230
    assert desk.search("words", filters={"court": "C"}).absence == "no_match"


@pytest.mark.parametrize(
    ("filters", "error", "message"),
    [
        ({"curt": "A"}, UnknownArgument, "did you mean 'court'"),
        ({"date_fro": "2024-01-01"}, UnknownArgument, "date_from"),
        ({"date_from": "2024"}, InvalidArgument, "date_from: '2024' is not a date"),
        ({"date_to": "30.02.2024"}, InvalidArgument, "is not a date"),
        ({"date_from": "2025-01-01", "date_to": "2024-01-01"}, InvalidArgument, "lies after"),
        ({"court": ""}, InvalidArgument, "no value"),
        ({"court": []}, InvalidArgument, "no value"),
    ],
)
def test_wrong_filters_are_errors(desk: Desk, filters: dict[str, Any], error: type, message: str) -> None:
    desk.put(a=DATED.format(date="2024-05-01", court="A", name="a"))
    with pytest.raises(error, match=message):
        desk.search("words", filters=filters)


def test_a_date_filter_where_nothing_has_a_date_is_an_error(desk: Desk) -> None:
    desk.put(a="alpha")
    with pytest.raises(UnknownArgument, match="unknown filter 'date_from'"):
        desk.search("alpha", filters={"date_from": "2024-01-01"})


def test_filter_values_are_listed_as_far_as_they_can_be_read(desk: Desk) -> None:
    desk.put(a=DATED.format(date="2024-05-01", court="A", name="a"), b="---\nroles: [x]\nhidden: yes\n---\nbeta")
    assert desk.library.filters()["court"] == {"A": 1}
    with desk.reopened(roles=["y"]) as outsider:
        assert "hidden" not in outsider.filters()
        with pytest.raises(UnknownArgument) as caught:
            outsider.search("beta", filters={"hiden": "true"})
        assert "hidden" not in caught.value.message


# --- absence --------------------------------------------------------------------------------------------------


def test_the_five_absences(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    assert desk.search("alpha").absence == "no_match"
    desk.put(a="alpha")
    desk.put(b="beta")
    assert desk.search("gamma").absence == "no_match"
    assert desk.search("beta", read_context="revision:1").absence == "not_in_this_snapshot"
    desk.library.purge("a.md")
    assert desk.search("a.md").absence == "erased"
    with monkeypatch.context() as patch:
        patch.setattr(desk.library, "_catch_up", lambda *_asked: None)
        patch.setattr(desk.library.index, "advance", lambda *_args, **_kw: 0)
        desk.put(c="gamma")
        behind = desk.search("gamma")
        assert behind.absence == "not_indexed_yet"
        assert any("behind the catalog" in note for note in behind.notes)
    assert desk.ids("gamma") == ["c.md"]


# --- queries --------------------------------------------------------------------------------------------------


def test_long_queries_are_condensed_and_reported_longer_ones_refused(handbook: pincite.Library) -> None:
    words = "annual leave " + " ".join(f"word{number}" for number in range(100))
    exact = (words * 10)[:500].strip().ljust(500, "x")
    assert not any("characters" in note for note in handbook.search(exact).notes)
    long = handbook.search(exact + "x")
    assert any("501 characters" in note for note in long.notes)
    assert long.hits
    with pytest.raises(InvalidArgument, match=r"4,001 characters.*pincite verify"):
        handbook.search("x" * 4001)


@pytest.mark.parametrize("empty", ["", "  ", "\n\t"])
def test_an_empty_query_is_refused(handbook: pincite.Library, empty: str) -> None:
    with pytest.raises(InvalidArgument, match="empty"):
        handbook.search(empty)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"limit": 0}, "top_k"),
        ({"limit": 101}, "top_k"),
        ({"min_score": 1.5}, "min_score"),
        ({"min_score": float("nan")}, "min_score"),
        ({"mode": "hybird"}, "did you mean 'hybrid'"),
        ({"group": "elements"}, "did you mean 'element'"),
        ({"sort": "date"}, "date_asc"),
        ({"valid_at": "tomorrow"}, "valid_at: 'tomorrow' is not a date"),
        ({"read_context": "baselin:x"}, "baseline:NAME"),
        ({"read_context": {"baseline_id": "a", "as_of": "2024-01-01"}}, "one state"),
        ({"read_context": "as_of:2999-01-01"}, "future"),
        ({"read_context": "revision:99"}, "no revision 99"),
    ],
)
def test_wrong_arguments_are_errors(handbook: pincite.Library, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        handbook.search("leave", **options)


def test_an_unknown_repository_names_the_known_ones(handbook: pincite.Library) -> None:
    with pytest.raises(NotFound, match="did you mean 'main'"):
        handbook.search("leave", repository="mian")


def test_or_after_a_number_is_the_code_of_obligations(desk: Desk) -> None:
    desk.put(a="Art. 41 OR regelt die Haftung.", b="Art. 41 of something else")
    answer = desk.search("Art. 41 OR", explain=True, mode="keyword")
    assert answer.hits[0].passage.element_id == "a.md"
    assert "OR" in {item.word for item in answer.hits[0].legs["keyword"].matched}


def test_capitals_have_no_operators(desk: Desk) -> None:
    desk.put(a="cats and dogs", b="dogs only")
    assert set(desk.ids("DOGS NOT CATS")) == {"a.md", "b.md"}
    assert desk.ids("dogs NOT cats") == ["b.md"]
    assert desk.ids("dogs AND cats") == ["a.md"]
    assert desk.ids("NOT NOT cats dogs") == ["a.md"]


def test_the_pool_is_constant() -> None:
    assert legs.DEPTH == 200


def test_what_is_forbidden_is_not_found_by_its_identifier_either(desk: Desk) -> None:
    desk.put(a="# A\n\n## § 4.2 Leave\n\nannual leave\n\n## § 4.3 Illness\n\nsick leave", b="# B\n\nunpaid leave")
    for query in ('leave -"annual leave"', 'leave NOT "§ 4.2"', "leave NOT section:4.2", "leave -(annual OR sick)"):
        found = {hit.passage.section_id for hit in desk.library.search(query, group="chunk").hits}
        assert "4.2" not in found, query
        assert found, query
    both = desk.library.search("+leave +4.2", group="chunk").hits
    assert [hit.passage.section_id for hit in both] == ["4.2"]


def test_a_bare_heading_does_not_hide_what_stands_below_it(desk: Desk) -> None:
    desk.put(a="# Lease\n\n## 2 Rent\n\n### 2.1 Amount\n\nThe rent is due monthly.\n\n## 3 Rent review")
    sections = [hit.passage.section_id for hit in desk.library.search("rent", group="chunk").hits]
    assert (sections[0], set(sections)) == ("2.1", {"2.1", "3"})
    assert desk.library.search("2 Rent").hits[0].passage.section_id == "2"


def test_a_heading_is_found_by_its_words_as_a_name(desk: Desk) -> None:
    desk.put(a="# A\n\n## Notice period\n\nTwo months.", b="notice notice notice period period period")
    first = desk.library.search("notice period").hits[0]
    assert (first.passage.element_id, first.score) == ("a.md", 1.0)


def test_dates_in_front_matter_are_compared_as_dates(desk: Desk) -> None:
    texts = {"a": "15.06.2025", "b": "2024-12-31", "c": "soon"}
    report = desk.put(**{name: f"---\ndate: {day!r}\n---\n\nlease {name}" for name, day in texts.items()})
    assert any("'soon' is not a date" in note for note in report.notes)

    def names(**options: Any) -> list[str]:
        return [hit.passage.element_id for hit in desk.library.search("lease", **options).hits]

    assert names(filters={"date_from": "01.05.2025"}) == ["a.md"]
    assert names(filters={"date_from": "2024-12-31", "date_to": "2024-12-31"}) == ["b.md"]
    assert names(sort="date_desc") == ["a.md", "b.md", "c.md"]


def test_a_filter_value_that_nothing_has_is_noted_with_those_there_are(desk: Desk) -> None:
    desk.put(a="The tenant pays the rent every month to the landlord of the house.")
    answer = desk.library.search("rent", filters={"language": "English"})
    assert (answer.total, answer.notes) == (0, ("nothing has language=English; there is en",))


def test_a_caller_with_roles_only_reads(desk: Desk) -> None:
    desk.put(a="alpha")
    with pincite.open(desk.library.path, roles=["sales"]) as limited:
        for forbidden in (lambda: limited.purge("a.md"), limited.status, lambda: limited.backup(desk.root / "copy")):
            with pytest.raises(PermissionDenied):
                forbidden()


def test_or_between_quotes_and_fields_with_numbers_is_an_operator(desk: Desk) -> None:
    desk.put(a="# Plan 2024\n\n26 days", b="# Plan 2025\n\n28 days", c="nothing")
    for query in ('"26 days" OR "28 days"', "title:2024 OR title:2025"):
        found = sorted(hit.passage.element_id for hit in desk.library.search(query).hits)
        assert found == ["a.md", "b.md"], query


def test_what_a_long_or_short_query_cannot_do_is_noted(desk: Desk) -> None:
    desk.put(**{f"n{number}": f"---\ndate: 2020-01-{number % 28 + 1:02d}\n---\n\nlease" for number in range(210)})
    assert "a prefix needs two characters at least; shorter ones are read as words" in desk.library.search("l*").notes
    assert "sorted by date within the 200 most relevant of 210" in desk.library.search("lease", sort="date_desc").notes


@pytest.mark.parametrize(
    "options", [{"limit": "5"}, {"filters": "x"}, {"cursor": 5}, {"min_score": "high"}, {"limit": True}]
)
def test_values_of_the_wrong_kind_are_named(desk: Desk, options: dict[str, Any]) -> None:
    desk.put(a="alpha")
    with pytest.raises(InvalidArgument) as caught:
        desk.library.search("alpha", **options)
    assert caught.value.field == next(iter(options))


def test_an_identifier_leads_a_question_but_not_a_long_text_that_mentions_it(desk: Desk) -> None:
    desk.put(
        law="# Law\n\n## Art. 15 Access\n\nEveryone may see their file.\n\n## Art. 16 Fees\n\nNone.\n",
        case="# Case\n\nThe neighbour filmed the garden with a drone and published the pictures of the children.\n",
    )
    assert desk.first("What does Art. 15 say?").passage.section_id == "art.15"
    long = (
        "A neighbour filmed the garden with a drone, published pictures of the children, and refused to delete them"
        " when the parents asked for it under Art. 15"
    )
    answer = desk.search(long)
    assert answer.hits[0].passage.element_id == "case.md"
    assert [hit.passage.element_id for hit in answer.hits] == ["case.md", "law.md"]
    lifted = answer.hits[1]
    assert 0 < lifted.signals["mentioned"] < answer.hits[0].score and lifted.passage.section_id == "art.15"
    assert any("what carries it ranks a little higher" in note for note in answer.notes)
    assert desk.first(long, mode="exact", group="chunk").passage.section_id == "art.15"


def test_a_quotation_is_demanded_alone_or_with_a_plus_and_weighs_among_other_words(desk: Desk) -> None:
    desk.put(
        case="# Case\n\nThe neighbour filmed the garden with a drone and published the pictures of the children.\n",
        quote="# Terms\n\nWhat a legitimate interest is.\n",
    )
    assert desk.ids('"legitimate interest"') == ["quote.md"]
    assert desk.ids('"legitimate interest" of the neighbour') == ["quote.md", "case.md"]
    long = (
        'A neighbour who filmed the garden with a drone and published pictures of the children claims a "legitimate'
        ' interest" in doing so'
    )
    answer = desk.search(long)
    assert answer.hits[0].passage.element_id == "case.md"
    assert desk.ids(long.replace('"legitimate', '+"legitimate')) == ["quote.md"]
    assert desk.ids('"legitimate interest" AND ' + long.replace('"', "")) == ["quote.md"]


def test_a_quoted_name_leads_only_a_query_that_asks_for_it(desk: Desk) -> None:
    desk.put(
        process="# Open Day\n\nThe process that welcomes visitors once a year.\n",
        roles="# Planner\n\nThe planner is a role that is assigned to the process Open Day, which it prepares.\n",
    )
    assert desk.ids('the process "Open Day"')[0] == "process.md"
    assert desk.ids('Which roles are assigned to the process "Open Day"?')[0] == "roles.md"
