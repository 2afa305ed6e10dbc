"""[knowledge]: which models take part, and what its mistakes say."""

from pathlib import Path

import pytest

from callsheet.core.retrieval.planning import PLANNER
from callsheet.edges.project.problem import Problem
from callsheet.edges.project.settings import Settings, read_settings

MINIMAL = """
[project]
name = "p"
policy_version = "v1"

[decision.answer]
entry = true
purpose = "support"

[knowledge]
"""
VOYAGE = 'embedder = "voyage"\n[knowledge.embedding]\nmodel = "voyage-4"\ndimension = 1024\n'


def read(folder: Path, text: str) -> Settings:
    (folder / "callsheet.toml").write_text(MINIMAL + text, encoding="utf-8")
    return read_settings(folder)


def said(folder: Path, text: str) -> str:
    with pytest.raises(Problem) as error:
        read(folder, text)
    return str(error.value)


def test_no_model_takes_part_unless_it_is_named(tmp_path: Path) -> None:
    settings = read(tmp_path, "")
    assert (settings.rankers.embedder, settings.rankers.reranker) == ("none", "none")
    assert (settings.knowledge.embedder, settings.knowledge.reranker) == ("", "")


def test_another_model_or_dimension_makes_another_policy(tmp_path: Path) -> None:
    names = [
        read(tmp_path, text).knowledge.embedder
        for text in ('embedder = "embedded"', VOYAGE, VOYAGE.replace("1024", "512"), VOYAGE.replace("-4", "-5"))
    ]
    assert names == ["embedded", "voyage:voyage-4:1024", "voyage:voyage-4:512", "voyage:voyage-5:1024"]


def test_a_reranker_has_its_own_table(tmp_path: Path) -> None:
    settings = read(tmp_path, 'reranker = "cohere"\n[knowledge.reranking]\nmodel = "rerank-4"\ntimeout = 5.0\n')
    assert (settings.rankers.reranking.model, settings.rankers.reranking.timeout) == ("rerank-4", 5.0)
    assert settings.knowledge.reranker == "cohere:rerank-4"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('embedder = "word2vec"', "word2vec"),
        ('embedder = "voyage"', "knowledge.embedding.dimension is missing"),
        (VOYAGE.replace("dimension = 1024\n", ""), "knowledge.embedding.dimension is missing"),
        (VOYAGE.replace("1024", "0"), "knowledge.embedding.dimension is missing"),
        (VOYAGE.replace("1024", "-1"), "lies outside 1 to 65536"),
        (VOYAGE + "timeout = 0.0\n", "lies outside 0.001 to 86400"),
        (VOYAGE.replace("voyage", "openai-compatible", 1), "knowledge.embedding.base_url is missing"),
        ('embedder = "embedded"\n[knowledge.embedding]\nmodel = "x"\n', "'embedded' has no use for it"),
        ('[knowledge.embedding]\nmodel = "x"\n', "no model is named"),
        ('reranker = "cohere"\n[knowledge.reranking]\nmodel = "x"\ndimension = 3\n', "has no use for it"),
        (VOYAGE + 'native = {input_type = "query"}\n', "is written by the engine"),
        ("[knowledge.ranking]\nfiller = 2.0\n", "lies outside 0 to 1"),
        ("searches = 0", "knowledge.searches = 0 lies outside 1 to 100"),
        ('route = "sometimes"', "knowledge.route = 'sometimes' is not valid"),
        ('route = "sometimes"', "'none', 'single', 'iterative', 'auto' or 'model'"),
    ],
)
def test_a_mistake_names_the_key_and_the_rule(tmp_path: Path, text: str, words: str) -> None:
    assert words in said(tmp_path, text)


def test_a_key_in_the_place_of_its_variables_name_is_not_said_again(tmp_path: Path) -> None:
    told = said(tmp_path, VOYAGE + 'api_key_env = "pa-secret-123"\n')
    assert "no name of an environment variable" in told and "pa-secret" not in told


def test_a_kind_that_plans_searches_is_there_where_the_model_chooses_a_route_and_only_there(tmp_path: Path) -> None:
    assert "plan-search" not in read(tmp_path, 'route = "auto"').decisions
    assert read(tmp_path, 'route = "model"').decisions["plan-search"] == PLANNER
    assert "plan-search" in read(tmp_path, '[decision.other]\npurpose = "x"\nroute = "model"\n').decisions


def test_a_project_may_describe_the_kind_that_plans_and_no_other_one_may_take_queries(tmp_path: Path) -> None:
    own = '[decision.NAME]\npurpose = "search"\nproposals = ["queries"]\ninstruction = "List three."\n'
    settings = read(tmp_path, 'route = "model"\n' + own.replace("NAME", "plan-search"))
    assert settings.decisions["plan-search"].instruction == "List three."
    for mistake in (own.replace("NAME", "other"), own.replace("NAME", "plan-search").replace('["q', '["ask", "q')):
        assert "queries are what plan-search takes" in said(tmp_path, mistake)


def test_the_tokens_that_searches_may_find_are_a_number_from_0(tmp_path: Path) -> None:
    assert read(tmp_path, "search_tokens = 900").knowledge.search_tokens == 900
    assert "search_tokens = -1 lies outside 0" in said(tmp_path, "search_tokens = -1")


def test_a_judge_is_named_by_the_rules_it_stands_beside(tmp_path: Path) -> None:
    assert read(tmp_path, 'claims = "mark"\njudge = ["sufficient", "claims"]').knowledge.judge == (
        "sufficient",
        "claims",
    )
    assert read(tmp_path, 'judge = ["sufficient"]').knowledge.judge == ("sufficient",)
    assert "knowledge.judge" in said(tmp_path, 'judge = ["claims"]')
    assert "judge" in said(tmp_path, 'judge = ["ranking"]')
