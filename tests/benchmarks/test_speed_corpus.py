"""The corpus of the speed benchmark: the same every time, Zipfian, filters that keep what they say, known answers."""

from __future__ import annotations

from collections import Counter

import numpy as np
from benchmarks.speed.corpus import BLOCK, PER_ELEMENT, SHARES, blocks, questions, share_of
from benchmarks.speed.recall import EVERYTHING, answered, find_exact, recall
from benchmarks.speed.vocabulary import FUNCTION_WORDS, LANGUAGES


def test_a_stretch_is_the_same_whatever_was_made_before_it() -> None:
    whole = list(blocks(3 * BLOCK))
    alone = next(blocks(BLOCK, start=2 * BLOCK))
    assert alone.passages == whole[2].passages
    assert np.array_equal(alone.vectors, whole[2].vectors)


def test_another_variant_or_tenant_has_the_same_elements_with_other_texts() -> None:
    first = next(blocks(BLOCK))
    for other in (next(blocks(BLOCK, variant=1)), next(blocks(BLOCK, tenant="small"))):
        assert [p.number for p in other.passages] == [p.number for p in first.passages]
        assert [p.share for p in other.passages] == [p.share for p in first.passages]
        assert not {p.text for p in other.passages} & {p.text for p in first.passages}


def test_every_hundred_elements_are_divided_as_the_filters_say() -> None:
    counts = Counter(share_of(element) for element in range(7_000, 7_100))
    assert counts == {"1": 1, "10": 10, "50": 50, "rest": 39}
    assert set(SHARES) == {"1", "10", "50"}


def test_all_passages_of_an_element_share_language_and_filter() -> None:
    passages = next(blocks(BLOCK)).passages
    for low in range(0, BLOCK, PER_ELEMENT):
        element = passages[low : low + PER_ELEMENT]
        assert len({(p.element, p.language, p.share) for p in element}) == 1
    assert {p.language for p in passages} == set(LANGUAGES)


def test_words_are_zipfian_and_lengths_vary() -> None:
    texts = [
        p.text.replace(".", "").split() for block in blocks(4 * BLOCK) for p in block.passages if p.language == "de"
    ]
    counts = np.array(sorted(Counter(word for text in texts for word in text).values(), reverse=True))
    ranks = np.arange(10, 2_000)
    slope = np.polyfit(np.log(ranks + 1), np.log(counts[ranks]), 1)[0]
    assert -1.4 < slope < -0.7
    assert set(FUNCTION_WORDS["de"].split()[:5]) <= {word for text in texts for word in text}
    lengths = [len(text) for text in texts]
    assert min(lengths) < 60
    assert max(lengths) > 300


def test_vectors_are_unit_vectors_in_clusters() -> None:
    vectors = next(blocks(BLOCK)).vectors
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    cosines = vectors @ vectors.T
    same = np.arange(BLOCK)[:, None] // PER_ELEMENT == np.arange(BLOCK)[None, :] // PER_ELEMENT
    np.fill_diagonal(same, False)
    assert cosines[same].mean() > cosines[~same].mean() + 0.3


def test_questions_come_from_known_passages_in_two_forms() -> None:
    asked = questions(2 * BLOCK, 30)
    assert [one.text for one in asked] == [one.text for one in questions(2 * BLOCK, 30)]
    assert {one.kind for one in asked} == {"question", "keywords"}
    texts = {p.number: p.text.replace(".", "").split() for block in blocks(2 * BLOCK) for p in block.passages}
    for one in asked:
        assert set(one.words) <= set(texts[one.answer])
        assert (one.text == " ".join(one.words)) == (one.kind == "keywords")


def test_the_planted_answer_is_among_the_exact_nearest() -> None:
    asked = questions(3 * BLOCK, 20)
    exact = find_exact(3 * BLOCK, asked)
    assert answered(exact[EVERYTHING].tolist(), asked) > 0.9
    assert recall(exact[EVERYTHING].tolist(), exact[EVERYTHING]) == 1.0


def test_exact_answers_keep_to_the_filter_and_equal_a_full_sort() -> None:
    asked = questions(2 * BLOCK, 5)
    exact = find_exact(2 * BLOCK, asked)
    made = list(blocks(2 * BLOCK))
    vectors = np.concatenate([block.vectors for block in made])
    shares = np.array([p.share for block in made for p in block.passages])
    for share in SHARES:
        for one, row in zip(asked, exact[share], strict=True):
            scores = np.where(shares == share, vectors @ one.vector, -2)
            assert row.tolist() == np.argsort(-scores, kind="stable")[:10].tolist()


def test_recall_counts_what_is_missing() -> None:
    exact = np.array([[1, 2, 3, 4], [5, -1, -1, -1]])
    assert recall([[4, 9, 1, 8], [5]], exact) == 0.75
