"""A model that reads its requests: it answers with the first line of its window that holds a given word."""

import json
from dataclasses import dataclass, field

from callsheet.edges.counters.estimate import EstimateCounter
from callsheet.lab.probes.incident import Incident, incident
from callsheet.lab.probes.run import Setting
from callsheet.model.history import Timeline
from callsheet.model.message import Reply
from callsheet.model.policy import ModelProfile
from callsheet.ports import Sink

PROFILE = ModelProfile("reader", "openai_chat", window=32_768, max_output=64, counter="estimate")
COUNT = EstimateCounter().count
STORY: Incident = incident(4)
TIMELINE: Timeline = STORY.timeline(COUNT)


@dataclass
class Reader:
    """Answers with what stands behind `word` in its window, else that it does not know; keeps every body."""

    words: tuple[str, ...]
    profile: ModelProfile = PROFILE
    bodies: list[bytes] = field(default_factory=list)
    error: str = ""

    def call(self, body: bytes, sink: Sink | None = None) -> Reply:
        self.bodies.append(body)
        if self.error:
            return Reply(error=self.error)
        texts = [str(each.get("content") or "") for each in json.loads(body)["messages"][:-1]]
        behind = (text.split(word, 1)[1].split()[0] for text in texts for word in self.words if word in text)
        said = {"role": "assistant", "content": next(behind, "I don't know.")}
        usage = {"prompt_tokens": len(body) // 4, "completion_tokens": 3, "total_tokens": len(body) // 4 + 3}
        choice = {"index": 0, "finish_reason": "stop", "message": said}
        return Reply(json.dumps({"id": "1", "model": "reader", "choices": [choice], "usage": usage}).encode())

    def cancel(self, sink: Sink | None = None) -> None:
        """Nothing runs on."""

    def close(self) -> None:
        """Nothing is held."""


FACT_WORDS = ("region north, pool hold-store: ",)
RULE_WORDS = ("carries the reference ",)


def setting(model: Reader, **more: object) -> Setting:
    """The setting of the incident with this model."""
    return Setting(model, COUNT, window=4_096, tools=STORY.tools, **more)  # type: ignore[arg-type]
