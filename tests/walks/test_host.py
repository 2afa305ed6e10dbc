"""What a program may do with a host: before it is closed, and not after."""

import asyncio

import pytest

from callsheet.errors import UsageError

from .stage import QUESTION, customer, helpful, open_stage


def test_a_closed_host_says_so_whatever_is_asked_of_it(tmp_path):
    with open_stage(tmp_path, helpful) as host:
        request_id = host.run(QUESTION, customer()).request_ids[0]
    ctx = customer()
    asks = (
        lambda: host.run(QUESTION, ctx),
        lambda: host.stream(QUESTION, ctx),
        lambda: host.assemble(QUESTION, ctx),
        lambda: asyncio.run(host.arun(QUESTION, ctx)),
        lambda: asyncio.run(host.aassemble(QUESTION, ctx)),
        lambda: host.show(request_id, ctx),
        lambda: host.recent(ctx),
        lambda: host.search("key", ctx),
        lambda: host.memory.load(ctx),
        lambda: host.waiting(ctx),
        lambda: host.ingest([{"id": "a", "text": "b"}], ctx),
        lambda: host.ingest([{"id": "a", "text": "b"}], ctx, shared=True),
    )
    for ask in asks:
        with pytest.raises(UsageError, match="the host is closed; open the project again"):
            ask()
    host.close()
