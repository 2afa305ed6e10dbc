"""Claude Code and pi: a row for each block or message, on lines."""

import copy
import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import count
from typing import Any

from .editing import Step, Unit, rewritten

CHARACTERS = 4
"""Of one token, for the usage of rounds that were put in."""
COMMON = ("isSidechain", "userType", "cwd", "sessionId", "version", "gitBranch", "slug")


def later(stamp: str, seconds: float) -> str:
    moment = datetime.fromisoformat(stamp.replace("Z", "+00:00")) + timedelta(seconds=seconds)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def grown(usage: dict[str, Any], part: str, more: int) -> None:
    """Counts what was put in before as read from the cache, as the provider would have."""
    if more and usage.get(part) is not None:
        usage[part] += more


class Rows:
    """What both have in common: a JSON value on each line."""

    exact = True

    def __init__(self, text: str) -> None:
        self.ids = count(1)
        self.units = [
            Unit(json.loads(line) if line.strip() else None, number) for number, line in enumerate(text.splitlines())
        ]

    def last(self, before: Sequence[Unit], **having: Any) -> dict[str, Any]:
        """The last row with these members."""
        for unit in reversed(before):
            if unit.value and all(unit.value.get(key) == value for key, value in having.items()):
                found: dict[str, Any] = unit.value
                return found
        return {}

    def dump(self, units: Sequence[Unit]) -> str:
        return "".join(
            (json.dumps(u.value, ensure_ascii=False) if u.value is not None else "") + "\n" for u in self.linked(units)
        )

    def linked(self, units: Sequence[Unit]) -> Sequence[Unit]:
        return units


class Claude(Rows):
    """Claude Code: ids, parents and times are made anew for what was put in, and what follows hangs on it."""

    def make(self, step: Step, before: Sequence[Unit]) -> list[Unit]:
        if "call" in step:
            return self._call(step, before)
        if "model" in step:
            return [self._said([{"type": "text", "text": step["model"]}], before, self._response(before))]
        if "summary" in step:
            edge = {
                "type": "system", "subtype": "compact_boundary", "content": "Conversation compacted", "isMeta": False,
                "level": "info", "compactMetadata": {"trigger": "auto", "preTokens": 160_000}, "root": True,
            }  # fmt: skip
            text = "This session is being continued from a previous conversation that ran out of context. " + (
                "The summary below covers the earlier portion of the conversation.\n\n" + step["summary"]
            )
            row = {"type": "user", "message": {"role": "user", "content": text}, "isCompactSummary": True}
            return [self._row(edge, before), self._row({**row, "isVisibleInTranscriptOnly": True}, before)]
        words = step.get("person", step.get("harness"))
        row = {"type": "user", "message": {"role": "user", "content": words}}
        return [self._row({**row, "isMeta": True} if "harness" in step else row, before)]

    def _call(self, step: Step, before: Sequence[Unit]) -> list[Unit]:
        response, call = self._response(before), f"toolu_seed{next(self.ids):05}"
        made = []
        if "say" in step:
            made.append(self._said([{"type": "text", "text": step["say"]}], before, response))
        use = {"type": "tool_use", "id": call, "name": step["call"], "input": step["input"]}
        made.append(self._said([use], before, response))
        if "result" not in step:
            return made
        block: dict[str, Any] = {"tool_use_id": call, "type": "tool_result", "content": step["result"]}
        if step.get("error"):
            block["is_error"] = True
        made.append(self._row({"type": "user", "message": {"role": "user", "content": [block]}}, before))
        return made

    def _response(self, before: Sequence[Unit]) -> dict[str, Any]:
        number = next(self.ids)
        model = self.last(before, type="assistant").get("message", {}).get("model", "claude-sonnet-4-5")
        return {"id": f"msg_seed{number:05}", "model": model, "type": "message", "role": "assistant"}

    def _said(self, content: list[Any], before: Sequence[Unit], response: Mapping[str, Any]) -> Unit:
        usage = copy.deepcopy(self.last(before, type="assistant").get("message", {}).get("usage", {}))
        for part in ("cache_creation_input_tokens", "input_tokens"):
            usage["cache_read_input_tokens"] = usage.get("cache_read_input_tokens", 0) + usage.get(part, 0)
        usage |= {"input_tokens": 3, "cache_creation_input_tokens": 120}
        usage["output_tokens"] = len(json.dumps(content)) // CHARACTERS
        message = {**response, "content": content, "stop_reason": None, "stop_sequence": None, "usage": usage}
        return self._row({"type": "assistant", "message": message, "requestId": f"req_{response['id']}"}, before)

    def _row(self, row: dict[str, Any], before: Sequence[Unit]) -> Unit:
        like = self.last(before, type="user") or self.last(before, type="assistant")
        return Unit({**{key: like[key] for key in COMMON if key in like}, **row})

    def linked(self, units: Sequence[Unit]) -> Sequence[Unit]:
        """Parents, ids and times: a chain through what was put in, and the next row of the source hangs on its end."""
        moved: dict[str, str] = {}
        tip: dict[bool, str | None] = {}
        stamp, fresh, more = "2026-01-01T00:00:00.000Z", False, 0
        known = {u.value["uuid"] for u in units if u.value and u.value.get("uuid") and not u.copied}
        for unit in units:
            row = unit.value
            if not row or not ("uuid" in row or unit.origin is None):
                continue
            side, parent = bool(row.get("isSidechain")), row.get("parentUuid")
            more = 0 if row.get("subtype") == "compact_boundary" else more
            grown(row.get("message", {}).get("usage", {}), "cache_read_input_tokens", more)
            if unit.origin is None or unit.copied:
                self._renew(unit, stamp := later(stamp, 2.0))
                row = unit.value
                more += 0 if side else len(json.dumps(row.get("message"))) // CHARACTERS
                root = row.pop("root", False)
                row["parentUuid"] = None if root else tip.get(side)
                row |= {"logicalParentUuid": tip.get(side)} if root else {}
                fresh = True
            else:
                stamp = row.get("timestamp") or stamp
                if parent is not None and (fresh or parent not in known):
                    row["parentUuid"] = moved[parent] = tip.get(side)
                elif parent in moved:
                    row["parentUuid"] = moved[parent]
                fresh = fresh and parent is None
            tip[side] = row["uuid"]
        return units

    def _renew(self, unit: Unit, stamp: str) -> None:
        """Ids and a time of its own; a copied call and its result get the same new id."""
        row, number = unit.value, next(self.ids)
        row["uuid"], row["timestamp"] = f"5eed0000-0000-4000-8000-{number:012}", stamp
        if not unit.copied:
            return
        ids = {row.get("requestId"), row.get("message", {}).get("id")}
        content = row.get("message", {}).get("content")
        for block in content if isinstance(content, list) else ():
            ids |= {block.get("id"), block.get("tool_use_id")}
        for old in ids - {None}:
            unit.value = row = rewritten(row, old, f"{old}s{unit.copied}", [])


class Pi(Rows):
    """pi: rows without ids; a result names its call."""

    def make(self, step: Step, before: Sequence[Unit]) -> list[Unit]:
        if "call" in step:
            call = f"toolu_seed{next(self.ids):05}"
            said = [{"type": "text", "text": step["say"]}] if "say" in step else []
            use = {"type": "toolCall", "id": call, "name": step["call"], "arguments": step["input"]}
            made = [self._model([*said, use], "toolUse", before)]
            if "result" in step:
                content = [{"type": "text", "text": step["result"]}]
                result = {"role": "toolResult", "toolCallId": call, "toolName": step["call"], "content": content}
                made.append(self._message({**result, "isError": bool(step.get("error"))}, before))
            return made
        if "model" in step:
            return [self._model([{"type": "text", "text": step["model"]}], "stop", before)]
        if "summary" in step:
            row = {"type": "compaction", "summary": step["summary"], "firstKeptEntryIndex": 0, "tokensBefore": 150_000}
            last = next(u.value for u in reversed(before) if u.value.get("timestamp"))
            return [Unit({**row, "timestamp": later(last["timestamp"], 1.0)})]
        words = step.get("person", step.get("harness"))
        return [self._message({"role": "user", "content": [{"type": "text", "text": words}]}, before)]

    def _model(self, content: list[Any], stop: str, before: Sequence[Unit]) -> Unit:
        like = next(
            u.value["message"]
            for u in reversed(before)
            if u.value["type"] == "message" and u.value["message"].get("usage", {}).get("cost")
        )
        usage = {**like["usage"], "output": len(json.dumps(content)) // CHARACTERS}
        kept = {key: like[key] for key in ("api", "provider", "model")}
        return self._message(
            {"role": "assistant", "content": content, **kept, "usage": usage, "stopReason": stop}, before
        )

    def _message(self, message: dict[str, Any], before: Sequence[Unit]) -> Unit:
        last = next(u.value for u in reversed(before) if u.value.get("timestamp"))
        stamp = later(last["timestamp"], 2.0)
        moment = int(datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp() * 1000)
        return Unit({"type": "message", "timestamp": stamp, "message": {**message, "timestamp": moment}})

    def linked(self, units: Sequence[Unit]) -> Sequence[Unit]:
        more = 0
        for unit in units:
            message = (unit.value or {}).get("message", {})
            grown(message.get("usage", {}), "cacheRead", more)
            if unit.origin is None or unit.copied:
                more += len(json.dumps(message)) // CHARACTERS
            if unit.copied:
                blocks = message.get("content")
                calls = [b["id"] for b in blocks if b.get("type") == "toolCall"] if isinstance(blocks, list) else []
                for old in [*calls, *([message["toolCallId"]] if "toolCallId" in message else [])]:
                    unit.value = rewritten(unit.value, old, f"{old}s{unit.copied}", [])
        return units
