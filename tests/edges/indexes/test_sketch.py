"""Where an actor sees very many sections, the short product finds what the whole one would."""

import numpy as np
import pytest

from callsheet.edges.indexes import sketch
from callsheet.edges.indexes.fusion import best
from callsheet.edges.indexes.scoring import Floats, Singles
from callsheet.edges.indexes.sketch import cosines, sketched


def made(number: int, seed: int) -> Singles:
    random = np.random.default_rng(seed)
    directions = np.random.default_rng(0).standard_normal((40, 128)).astype(np.float32)
    found: Singles = directions[random.integers(40, size=number)] + random.standard_normal((number, 128)).astype("f4")
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def full(vectors: Singles, query: Singles) -> Floats:
    return np.vecdot(vectors, query).astype(np.float64).round(6)


def test_few_sections_have_no_sketch_and_are_compared_in_full() -> None:
    vectors, query = made(500, 1), made(1, 2)[0]
    assert sketched(vectors, 500) is None
    assert (cosines(vectors, 500, query, np.zeros(500)) == full(vectors, query)).all()


def test_of_many_the_ten_most_alike_are_found_and_compared_in_full() -> None:
    number = sketch.EXACT + 10_000
    vectors, words = made(number, 1), np.zeros(number)
    short = sketched(vectors, number)
    hits = 0
    for query in made(20, 2):
        found = cosines(vectors, number, query, words, short)
        wanted = best(full(vectors, query), 10)
        hits += len(set(best(found, 10)) & set(wanted))
        assert found[best(found, 10)] == pytest.approx(full(vectors, query)[best(found, 10)], abs=2e-6)
    assert hits >= 0.98 * 200


def test_what_words_find_is_compared_in_full_however_little_alike_it_is() -> None:
    number = sketch.EXACT + 10_000
    vectors, words, query = made(number, 1), np.zeros(number), made(1, 2)[0]
    least = int(np.argmin(full(vectors, query)))
    words[least] = 1.0
    found = cosines(vectors, number, query, words, sketched(vectors, number))
    assert found[least] == pytest.approx(full(vectors, query)[least], abs=2e-6)


def test_what_is_no_longer_in_force_changes_no_likeness_of_what_is() -> None:
    number = sketch.EXACT + 5_000
    current, old, query = made(number, 1), made(7_000, 3), made(1, 2)[0]
    whole, words = np.concatenate([current, old]), np.zeros(number + 7_000)
    alone = cosines(current, number, query, words[:number], sketched(current, number))
    beside = cosines(whole, number, query, words, sketched(whole, number))
    assert (beside[:number] == alone).all() and len(beside) == len(whole)
