"""Mission C8 and invariant 2: what another tenant or subject has reads exactly like what does not exist."""

from collections.abc import Callable

import pytest

from callsheet import Host, MemoryRecord
from callsheet.errors import UnknownName
from callsheet.testing import NOON

from .stage import QUESTION, customer, helpful, open_stage, scripted

SECRET = "pelican"
A = customer("internal", "keys:rotate")
OTHERS = [customer(tenant="globex"), customer(subject="u2"), customer(tenant="globex", subject="u2")]


def words(ask: Callable[[], object], name: str) -> str:
    """What an unknown name reads like, the name itself taken out."""
    with pytest.raises(UnknownName) as caught:
        ask()
    return str(caught.value).replace(name, "NAME")


def lived_in(host: Host) -> str:
    """A tenant with a memory, a document, a notice and a run of its own; gives the run's id."""
    memory = MemoryRecord("u1", "acme", "support", f"The {SECRET} key is not working.", "user_stated", created_at=NOON)
    host.memory.add(memory, A)
    host.ingest([{"id": f"notes/{SECRET}", "text": f"# {SECRET}\n\nWhy is my API key not working? {SECRET}."}], A)
    host.stores(A).events.push(f"The {SECRET} job finished.", "jobs", "u1", NOON)
    return host.run(f"{QUESTION} {SECRET}", A).run_id


@pytest.mark.parametrize("other", OTHERS, ids=lambda ctx: f"{ctx.tenant_id}-{ctx.subject_id}")
def test_a_request_and_a_run_of_somebody_else_read_like_none(tmp_path, other):
    with open_stage(tmp_path, helpful) as host:
        run_id = lived_in(host)
        theirs, none = f"{run_id}.1", f"{run_id[:-8]}99999999.1"
        for ask in (host.show, host.replay, host.blame, lambda each, ctx: host.why(each, ctx, byte=0)):
            assert words(lambda ask=ask: ask(theirs, other), theirs) == words(lambda ask=ask: ask(none, other), none)
        resumed = [
            words(lambda each=each: host.run(ctx=other, resume=each), each)
            for each in (run_id, f"{run_id[:-8]}99999999")
        ]
    assert resumed[0] == resumed[1]


def test_an_approval_of_another_tenant_reads_like_none(tmp_path):
    rotate = {"kind": "calls", "calls": [{"tool": "rotate_api_key", "arguments": {"account_id": "A-123"}}]}
    with open_stage(tmp_path, [rotate]) as host:
        theirs = host.run("Please rotate the key of my account A-123.", A).steps[0].calls[0].approval_id
        other = OTHERS[0]
        assert words(lambda: host.approve(theirs, other), theirs) == words(lambda: host.approve("none", other), "none")
        assert len(host.stores(A).approvals.filed()) == 1


@pytest.mark.parametrize("other", [OTHERS[0], OTHERS[2]], ids=lambda ctx: f"{ctx.tenant_id}-{ctx.subject_id}")
def test_nothing_of_one_tenant_reaches_a_request_a_search_or_a_memory_of_another(tmp_path, other):
    with open_stage(tmp_path, helpful) as host:
        lived_in(host)
        sent = len(scripted(host).bodies)
        assert any(SECRET.encode() in body for body in scripted(host).bodies)
        result = host.run("What does the bird note say about my API key?", other)
        shown = [host.show(each, other) for each in result.request_ids]
        assert host.search(SECRET, other) == []
        assert host.memory.load(other) == ()
    assert all(SECRET.encode() not in body for body in scripted(host).bodies[sent:])
    assert all(SECRET not in repr(record) for record in shown)


@pytest.mark.parametrize("other", OTHERS)
def test_the_seed_of_the_projects_own_session_is_given_to_nobody_else(tmp_path, other):
    with open_stage(tmp_path) as host:
        assert host.stores(customer()).states.load("u1").goal
        assert host.stores(other).states.load(other.subject_id).version == 0


def test_the_same_request_comes_out_with_and_without_another_tenants_things(tmp_path):
    with open_stage(tmp_path / "alone", helpful) as host:
        alone = host.assemble(QUESTION, OTHERS[0])
    with open_stage(tmp_path / "beside", helpful) as host:
        lived_in(host)
        beside = host.assemble(QUESTION, OTHERS[0])
    assert alone.wire.body == beside.wire.body
    assert alone.manifest.packing == beside.manifest.packing


@pytest.mark.parametrize(
    "item", ["runbook/internal-keys@v1#emergency-revocation", "tool/rotate_api_key", "tool/delete_api_key"]
)
def test_why_not_for_a_forbidden_item_reads_like_one_that_does_not_exist(tmp_path, item):
    with open_stage(tmp_path, helpful) as host:
        request_id = host.run(f"{QUESTION} Emergency revocation of leaked keys?", customer()).request_ids[0]
        forbidden = words(lambda: host.why(request_id, customer(), item=item), item)
        assert forbidden == words(
            lambda: host.why(request_id, customer(), item="runbook/none@v1#x"), "runbook/none@v1#x"
        )
        assert item not in repr(host.show(request_id, customer()).manifest)


def test_an_operator_with_the_audit_grant_sees_the_requests_of_its_own_tenant_alone(tmp_path):
    with open_stage(tmp_path, helpful) as host:
        request_id = f"{lived_in(host)}.1"
        assert host.show(request_id, customer("audit", subject="operator")).manifest.request_id == request_id
        with pytest.raises(UnknownName):
            host.show(request_id, customer("audit", tenant="globex", subject="operator"))
