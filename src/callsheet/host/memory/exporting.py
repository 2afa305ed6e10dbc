"""What a tenant keeps of a subject, as one document for it: every kind, where it is from and where it was used."""

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import chain
from typing import Any

from ...edges.stores import TenantStore
from ...edges.stores.names import owner_name
from ...model.memory import MemoryRecord
from ...model.request import RequestContext
from ...ports import MemoryFiles, StoredRequest

_REFERENCE = re.compile(r"toolrun://[\w.-]+/\d+")


def exported(
    store: TenantStore, areas: Iterable[MemoryFiles], subject_id: str, ctx: RequestContext, now: datetime
) -> dict[str, Any]:
    """The subject's records, memory files, task state, notices, requests, approvals and tool outputs.

    A record under a scope that the session lacks is not among them. Each record names the requests that it entered.
    """
    owner = owner_name(subject_id)
    ids = store.requests_of(owner)
    requests = [store.records.request(each) for each in ids]
    records = [each for each in store.records_of(owner) if ctx.may_see(each.scope)]
    state = store.states.load(subject_id)
    told = [_request(each) for each in requests]
    return {
        "subject_id": subject_id,
        "tenant_id": store.tenant_id,
        "exported_at": now,
        "records": [_record(each, requests) for each in records],
        "files": list(chain.from_iterable(map(_files, areas))),
        "state": state if state.version else None,
        "events": [each for each in store.events.log(subject_id) if each["subject_id"] == subject_id],
        "requests": told,
        "approvals": [each for each in store.approvals.filed() if each["request_id"] in set(ids)],
        "artifacts": _artifacts(store, owner, told),
    }


def _record(record: MemoryRecord, requests: Iterable[StoredRequest]) -> dict[str, Any]:
    item_id = f"memory/{record.record_id}"
    used = [
        each.manifest.request_id for each in requests if any(item.item_id == item_id for item in each.manifest.items)
    ]
    return {
        **{name: getattr(record, name) for name in record.__dataclass_fields__},
        "trust": record.trust,
        "used_in": used,
    }


def _files(area: MemoryFiles) -> Iterator[dict[str, Any]]:
    for path, entry in sorted(area.look(()).entries.items()):
        if entry.kind == "file":
            tree = area.look(path)
            yield {"path": "/".join(("/memories", *path)), "text": tree.text, "origin": tree.origin}


def _request(found: StoredRequest) -> dict[str, Any]:
    """A request in the words that went in and came out; its wire and its hashes are `callsheet show`'s."""
    step = found.step
    return {
        "request_id": found.manifest.request_id,
        "created_at": found.created_at,
        "actor": found.ctx.actor,
        "decision": found.manifest.decision,
        "question": found.task.question,
        "outcome": step.outcome if step else found.status,
        "answer": step.answer if step else "",
        "sources": step.sources if step else (),
        "calls": [{"tool": each.call.tool, "arguments": each.call.arguments} for each in step.calls] if step else [],
        "items": [
            {"item_id": each.item_id, "kind": each.kind, "source": each.source, "text": each.text}
            for each in found.manifest.items
        ],
    }


def _artifacts(store: TenantStore, owner: str, told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The outputs of tools, each under the reference by which a request names it, where one still does."""
    text = json.dumps(told, default=str)
    named: Mapping[str, str] = {store.mark(each): each for each in sorted(set(_REFERENCE.findall(text)))}
    return [{"reference": named.get(name, ""), **_readable(data)} for name, data in store.outputs_of(owner)]


def _readable(data: bytes) -> dict[str, str]:
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        return {"base64": b64encode(data).decode()}
