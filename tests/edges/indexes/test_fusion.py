"""What admits a section: a telling word, likeness of its own, or a third of that beside one that was admitted."""

import numpy as np

from callsheet.edges.indexes.fusion import Alike, fuse
from callsheet.model.knowledge_policy import Ranking


def admitted(cosines: list[float], words: list[float]) -> list[bool]:
    """Which sections, all in force and embedded, have a score, where words are trusted in full."""
    scores, every, trust = np.array(words), np.ones(len(words), bool), np.ones(len(words))
    fused = fuse(scores, scores > 0, Alike(np.array(cosines), every, trust), len(words), Ranking(likeness=0.3))
    return [bool(each) for each in fused.total > 0]


def test_a_section_that_is_a_little_alike_is_admitted_beside_another_one_and_not_alone() -> None:
    assert admitted([0.2, 0.05], [0, 0]) == [False, False]
    assert admitted([0.4, 0.2, 0.05], [0, 0, 0]) == [True, True, False]
    assert admitted([0.0, 0.2, 0.05], [1, 0, 0]) == [True, True, False]


def test_a_section_without_a_vector_counts_as_alike_as_the_mean_is() -> None:
    words, cosines = np.array([1.0, 1.0, 1.0]), np.array([0.9, 0.1, 0.0])
    embedded = np.array([True, True, False])
    fused = fuse(words, words > 0, Alike(cosines, embedded, np.ones(3)), 3, Ranking())
    assert fused.dense is not None and fused.dense.tolist() == [1.0, 0.0, 0.5]
