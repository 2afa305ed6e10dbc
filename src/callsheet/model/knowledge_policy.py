"""Knowledge policy: every setting of searching for evidence and of resting on it, as one frozen value (B5 to B7)."""

from dataclasses import dataclass
from typing import Literal

Route = Literal["none", "single", "iterative"]
Routing = Literal["none", "single", "iterative", "auto", "model"]
"""How the route is chosen: always this one, by rule, or by the model, which also plans the searches."""
Claims = Literal["off", "mark", "refuse"]
Judged = Literal["sufficient", "claims"]
"""The rules beside which a model may be asked, by the names of their settings."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """How sections are ranked; `callsheet tune` finds the values for a set of labelled questions.

    - `title`, `context`, `wider`, `asked`: what a word weighs in each column, beside 1 in the text. `filler`: what
      one of mere talk weighs in a question. `k1`, `b`: saturation and length of BM25.
    - `feedback_documents`, `feedback_terms`, `feedback_original`: pseudo-relevance feedback (RM3): terms of so many of
      the best sections join the question, which keeps this share of its own weight. No documents: no feedback.
    - `dense`: what the best likeness weighs beside the best lexical score; 0 leaves vectors out. `likeness`: the least
      centred cosine of a section that no word of the question stands in. `known`: the share of the question's words
      that the sections of a language must hold for words to count in full there, and for likeness to be needed in
      full; below it both fall by the square.
      `document`: how far a section's vector is turned towards the mean of its document's.
    - `pool`: sections that go on from the first ranking to the stages behind it. `diversity`: what likeness to a better
      section costs.
    - `graph`: what being related to the best sections' documents weighs, beside the best score; 0 follows no relations,
      and none are written down.
    - `experience`: what a document is worth that answered questions like this one, beside the best of what was found.
    """

    title: float = 2.0
    context: float = 0.5
    wider: float = 0.1
    asked: float = 1.0
    filler: float = 0.2
    k1: float = 1.5
    b: float = 0.7
    feedback_documents: int = 3
    feedback_terms: int = 10
    feedback_original: float = 0.8
    dense: float = 0.7
    likeness: float = 0.3
    known: float = 2 / 3
    document: float = 1.0
    pool: int = 50
    diversity: float = 0.0
    graph: float = 0.0
    experience: float = 0.0

    @property
    def columns(self) -> tuple[float, float, float, float, float]:
        """The weights of the columns, in the order of `model.evidence.COLUMNS`."""
        return self.title, 1.0, self.context, self.wider, self.asked


@dataclass(frozen=True, slots=True)
class KnowledgePolicy:
    """How a decision comes by evidence, and how far its answer must rest on it.

    - `embedder`, `reranker`: the names of the models that take part, empty where none does. `ranking`: how sections are
      put in order.
    - `route`: whether a question is answered without evidence, from one search, or from several; "auto" decides for
      each question by rule, "model" asks the model first. `searches`: how many an iterative route may make;
      `search_tokens`: how many tokens of evidence it may find before it ends, 0 any number.
    - `brevity`: how much a section's tokens count against it, for budgets that many documents share: its relevance is
      divided by their number, beside the shortest's, to this power; 0 not at all.
    - `excerpts`: the share of a section that may be quoted where there is no room for all of it; 0 leaves it out.
    - `sufficient`: the least worth of the evidence, in [0, 1], below which a decision that must cite abstains; 0 never.
    - `next_step`: what a person can do where nothing was found. `claims`: what becomes of a claim that no evidence of
      the set supports.
    - `judge`: what the decision's model is asked beside the rule: whether the evidence is sufficient, and whether it
      supports the claims. It may refuse more, and win what the rule left undecided (core/judging.py).
    - `labels`: a file of the project with labelled questions, and `usage`: whether earlier answers to the same subject
      count, both of which only matter where the ranking gives experience a weight.
    - `preload`: documents of the project that stand whole in the stable prefix of every request (B6).
    """

    embedder: str = ""
    reranker: str = ""
    ranking: Ranking = Ranking()
    route: Routing = "single"
    searches: int = 4
    search_tokens: int = 0
    brevity: float = 0.0
    excerpts: float = 0.0
    sufficient: float = 0.0
    next_step: str = ""
    claims: Claims = "off"
    judge: tuple[Judged, ...] = ()
    preload: tuple[str, ...] = ()
    labels: str = ""
    usage: bool = False
