"""The JSON shapes that the commands print, made from nouns alone: what a script may rely on."""

import hashlib
import json
from collections import defaultdict
from dataclasses import asdict
from datetime import datetime
from typing import Any

from ..core.prices import cost
from ..core.retrieval.joining import score
from ..model.claim import Claim
from ..model.effect import CallRecord, RunResult, Step
from ..model.evidence import Evidence, Results, Searched
from ..model.item import ContextItem, LeftOut
from ..model.manifest import ContextManifest
from ..model.policy import Prices
from ..model.tool import ToolContract
from ..model.verdict import Verdict
from ..model.wire import Wire
from ..ports import StoredRequest
from .usage import usage_json

Shape = dict[str, Any]


def run_json(result: RunResult, prices: Prices | None = None) -> Shape:
    """What `run` prints: the outcome, what may be shown, each tool call with its verdict, and the ids to look up.

    `cost` is there where the model's prices are known.
    """
    shape = {
        "run_id": result.run_id,
        "outcome": result.outcome,
        "answer": result.answer,
        "sources": list(result.sources),
        "next_steps": list(result.next_steps),
        "why": result.why,
        "claims": [claim_json(claim) for claim in result.claims],
        "searched": [searched_json(search) for search in result.searched],
        "request_ids": list(result.request_ids),
        "tool_calls": [call_json(record) for step in result.steps for record in step.calls],
        "verdicts": [verdict_json(verdict) for step in result.steps for verdict in step.verdicts],
        "notes": [text for step in result.steps for text in step.notes],
        "usage": usage_json(result.usage),
    }
    if prices is None or result.usage is None:
        return shape
    return {**shape, "cost": {"amount": round(cost(result.usage, prices), 6), "currency": prices.currency}}


def searched_json(search: Searched) -> Shape:
    """One search behind an abstention; `outside` only for whoever holds the grant `audit`."""
    shape = {"query": search.query, "store": search.store, "sections": search.sections, "found": search.found}
    return shape if search.outside is None else {**shape, "outside": search.outside}


def claim_json(claim: Claim) -> Shape:
    """One statement of an answer with what supports it, or comes nearest; `source` is null where nothing does."""
    shape = {
        "text": claim.text,
        "supported": claim.supported,
        "source": claim.source or None,
        "span": {"start": claim.start, "end": claim.end} if claim.source else None,
        "score": claim.score,
    }
    shape |= {"why": claim.why} if claim.why else {}
    return {**shape, "judged": claim.judged} if claim.judged else shape


def call_json(record: CallRecord) -> Shape:
    """One proposed tool call; `approval_id` is there only where a person was asked."""
    shape = {
        "name": record.call.tool,
        "arguments": record.call.arguments,
        "verdict": verdict_json(record.verdict),
        "status": record.observation.status,
        "artifact_ref": record.observation.artifact_ref or None,
    }
    return shape if record.approval_id is None else {**shape, "approval_id": record.approval_id}


def verdict_json(verdict: Verdict) -> Shape:
    """A verdict; `question` and `subject` only where it has them."""
    shape = {"outcome": verdict.outcome, "rule": verdict.rule, "why": verdict.why}
    more = {"question": verdict.question, "subject": verdict.subject}
    return {**shape, **{name: text for name, text in more.items() if text is not None}}


def assemble_json(stored: StoredRequest) -> Shape:
    """What `assemble` prints. All of it but `request_id` and `retrieved_at` is the same for the same inputs."""
    manifest = stored.manifest
    packing = manifest.packing
    return {
        "request_id": manifest.request_id,
        "tenant_id": manifest.tenant_id,
        "decision": manifest.decision,
        "items": items_json(manifest, stored.wire),
        "left_out": [left_out_json(item) for item in manifest.left_out],
        "budget": packing.budget if packing else None,
        "used": packing.used if packing else None,
        "total_input_tokens": manifest.total_input_tokens,
        "token_basis": manifest.token_basis,
        "policy": manifest.policy,
        "model": manifest.model,
        "dialect": manifest.dialect,
        "origin": manifest.origin,
        "binding": manifest.binding,
        "proposal_channel": manifest.proposal_channel,
        "position": manifest.position,
        "offered": list(manifest.offered),
        "narrowing": manifest.narrowing,
        **retrieval_json(manifest),
        "notes": list(manifest.notes),
        "body": stored.wire.body.decode("utf-8"),
    }


def retrieval_json(manifest: ContextManifest) -> Shape:
    """The route to the evidence and why, each search that was made on it, and why there were no more."""
    if manifest.retrieval is None:
        return {"route": None, "searches": [], "stopped": ""}
    found = asdict(manifest.retrieval)
    return {
        "route": found["route"],
        "searches": [{**each, "new": list(each["new"])} for each in found["searches"]],
        "stopped": found["stopped"],
    }


def items_json(manifest: ContextManifest, wire: Wire) -> list[Shape]:
    """Every item in body order, with the byte spans it fills and its utility (None: required, so never weighed)."""
    spans: defaultdict[str, list[dict[str, int]]] = defaultdict(list)
    for span in wire.spans:
        spans[span.item_id].append({"start": span.start, "end": span.end})
    utility = manifest.packing.utility if manifest.packing else {}
    return [
        {
            **item_json(item),
            "utility": None if item.required else utility.get(item.item_id),
            "spans": spans[item.item_id],
        }
        for item in manifest.items
    ]


def item_json(item: ContextItem) -> Shape:
    """One item without its place; `sha` is the SHA-256 of its text, `schema_sha` that of a tool's input schema."""
    shape: Shape = {
        "item_id": item.item_id,
        "kind": item.kind,
        "source": item.source,
        "scope": item.scope,
        "trust": item.trust,
        "version": item.version,
        "retrieved_at": item.retrieved_at.isoformat() if item.retrieved_at else None,
        "token_count": item.token_count,
        "required": item.required,
        "sha": digest(item.text),
    }
    if isinstance(item.record, Evidence):
        shape["evidence"] = quoted_json(item.record)
    if isinstance(item.record, ToolContract):
        shape["schema_sha"] = digest(canonical(item.record.input_schema))
    return shape


def quoted_json(evidence: Evidence) -> Shape:
    """Where an item of evidence is quoted from, and what its place rests on (B5); spans count characters.

    `quoted` is there where the request has parts of the section alone.
    """
    start = evidence.start
    shape = {
        "document": evidence.document_id,
        "section": evidence.section,
        "heading": evidence.heading,
        "effective": evidence.effective.isoformat() if evidence.effective else None,
        "review_by": evidence.review_by.isoformat() if evidence.review_by else None,
        "span": {"start": start, "end": evidence.end},
        "rank": evidence.rank,
        "scores": scores_json(evidence),
    }
    if not evidence.quoted:
        return shape
    return {**shape, "quoted": [{"start": start + first, "end": start + last} for first, last in evidence.quoted]}


def scores_json(evidence: Evidence) -> Shape:
    """Every score of a section, each in [0, 1]; null where a stage had no part in it."""
    return {"relevance": evidence.relevance, "authority": evidence.authority, **asdict(evidence.scores)}


def left_out_json(item: LeftOut) -> Shape:
    """One item that stayed out, with the reason and its numbers."""
    names = ("item_id", "reason", "kind", "source", "utility", "token_count", "detail")
    return {name: getattr(item, name) for name in names}


def show_json(stored: StoredRequest) -> Shape:
    """What `show` prints: the assembled request, and all that became of it."""
    return {
        **assemble_json(stored),
        "run_id": stored.task.run_id,
        "question": stored.task.question,
        "status": stored.status,
        "created_at": stored.created_at.isoformat(),
        "actor": stored.ctx.actor,
        "subject_id": stored.ctx.subject_id,
        "grants": list(stored.ctx.grants),
        "reply": stored.reply.body.decode("utf-8", "replace") if stored.reply else None,
        "error": (stored.reply.error or None) if stored.reply else None,
        "step": step_json(stored.step) if stored.step else None,
        "usage": usage_json(stored.usage),
        "deleted": list(stored.deleted),
    }


def listed_json(stored: StoredRequest) -> Shape:
    """One request as a line of the list that `show` prints without an id."""
    return {
        "request_id": stored.manifest.request_id,
        "run_id": stored.task.run_id,
        "created_at": stored.created_at.isoformat(),
        "decision": stored.manifest.decision,
        "status": stored.status,
        "outcome": stored.step.outcome if stored.step else None,
        "question": stored.task.question,
    }


def step_json(step: Step) -> Shape:
    """What one decision came to. Where an answer was refused, `fallback` stands in, and `sources` are its sources."""
    shape = {
        "outcome": step.outcome,
        "proposal": step.proposal.kind if step.proposal else None,
        "answer": step.answer,
        "sources": list(step.sources),
        "next_steps": list(step.next_steps),
        "tool_calls": [call_json(record) for record in step.calls],
        "verdicts": [verdict_json(verdict) for verdict in step.verdicts],
        "notes": list(step.notes),
    }
    if step.claims:
        shape["claims"] = [claim_json(each) for each in step.claims]
    if step.searched:
        shape["searched"] = [searched_json(each) for each in step.searched]
    if step.reports:
        shape["reports"] = [asdict(each) for each in step.reports]
    return {**shape, "fallback": step.fallback} if step.fallback else shape


def search_json(found: Results) -> Shape:
    """What `search` prints: results, best first, each with its place in its document.

    `outside` are the sections, by scope, that were not searched; it is there for the grant `audit` alone.
    """
    shape: dict[str, Any] = {
        "results": [evidence_json(evidence, found.now) for evidence in found.evidence],
        "sections": found.sections,
        "without": list(found.without),
    }
    return {**shape, "outside": dict(found.outside)} if found.outside else shape


def evidence_json(evidence: Evidence, now: datetime) -> Shape:
    """One search result; `score` is its worth beside other stores' results, and `span` counts characters."""
    return {
        "id": evidence.evidence_id,
        "source": evidence.document_id,
        "version": evidence.version,
        "section": evidence.section,
        "heading": evidence.heading,
        "scope": evidence.scope,
        "effective": evidence.effective.isoformat() if evidence.effective else None,
        "review_by": evidence.review_by.isoformat() if evidence.review_by else None,
        "superseded": evidence.superseded,
        "overdue": evidence.overdue(now),
        "duplicate_of": evidence.duplicate_of or None,
        "score": score(evidence),
        "scores": scores_json(evidence),
        "text": evidence.text,
        "span": {"start": evidence.start, "end": evidence.end},
    }


def canonical(value: Any) -> str:
    """The one JSON text of a value: keys in order, no blanks."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def digest(text: str) -> str:
    """The SHA-256 of a text's UTF-8 bytes, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
