"""A model's judgement of whether a passage answers a question: the chance it gives to "yes", kept on file.

The model is asked for one word, and what counts is how likely "yes" was beside "no". Answers lie beside
`abstention.py`, by the hash of the request; only what is not there is asked of the embedded model.
"""

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from answering import answering
from callsheet.core.render.fragment import digest
from callsheet.model.policy import ModelProfile

FILE = Path(__file__).with_name("abstention.answers.jsonl")
PROFILE = ModelProfile("Qwen2.5-Coder-0.5B-Instruct", "openai_chat", 4_096, 1, "none")
LONGEST = 6_000
RULE = "You judge whether a passage answers a question. Reply with one word: yes or no."


def request(question: str, passage: str) -> bytes:
    text = f"Passage:\n{passage[:LONGEST]}\n\nQuestion: {question}\n\nDoes the passage hold the answer to the question?"
    messages = [{"role": "system", "content": RULE}, {"role": "user", "content": text}]
    asked = {"messages": messages, "max_tokens": 1, "temperature": 0, "logprobs": True, "top_logprobs": 20}
    return json.dumps(asked, ensure_ascii=False).encode()


def on_file() -> dict[str, float]:
    """The chances on file, by request."""
    lines = FILE.read_text(encoding="utf-8").splitlines() if FILE.exists() else []
    return {each["request"]: each["yes"] for each in map(json.loads, lines)}


def judged(pairs: Iterable[tuple[str, str]], ask: bool) -> list[float | None]:
    """The chance of "yes" for each question and passage; None where it is not on file and nobody is asked."""
    known = on_file()
    requests = [request(*pair) for pair in pairs]
    missing = [each for each in requests if digest(each) not in known]
    if ask and missing:
        model = answering(PROFILE, None, False, prompt_cache=False)
        try:
            with FILE.open("a", encoding="utf-8") as file:
                for each in missing:
                    known[digest(each)] = yes = chance(json.loads(model.call(each).body))
                    print(json.dumps({"request": digest(each), "yes": round(yes, 4)}), file=file, flush=True)
        finally:
            model.close()
    return [known.get(digest(each)) for each in requests]


def chance(reply: dict[str, Any]) -> float:
    """How likely "yes" was, of the two."""
    told = {"yes": 0.0, "no": 0.0}
    for each in reply["choices"][0]["logprobs"]["content"][0]["top_logprobs"]:
        word = each["token"].strip().casefold()
        if word in told:
            told[word] += math.exp(each["logprob"])
    return told["yes"] / (sum(told.values()) or 1.0)
