"""Same inputs, same bytes, in every process: two interpreters with different hash seeds."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = """
from dataclasses import replace
from hashlib import sha256
from callsheet.core.record.fingerprint import fingerprint
from callsheet.model.task import Task
from tests.core.render.test_wire import request
from tests.core.world import MODEL, evidence, memory, policy
rules = policy(model=replace(MODEL, schema_in_prompt_prefix=False))
found = [evidence(f"d/{n}@v1#s", f"text {n} zażółć", relevance=0.5) for n in range(4)] + [memory()]
for kind in ("diagnose", "change", "answer"):
    made, wire = request(*found, rules=rules, task=Task("Why?", "run", decision=kind))
    print(sha256(wire.body).hexdigest(), wire.links[-1], [each.item_id for each in made.items], made.left_out)
print(fingerprint(rules))
"""


DIAGNOSED = """
from callsheet.core.diagnose.patterns.patterns import DETECTORS, Patterns
from callsheet.core.diagnose.window import Counting, Windows
from tests.core.diagnose.patterns.story import numbered, step, user
seen = []
class Calls:
    def take(self, moment):
        seen.extend(each.call.written for each in moment.blocks if each.call is not None)
    def result(self):
        return ()
patterns, windows = Patterns((*DETECTORS, Calls)), Windows(Counting("words", lambda text: len(text.split())))
long = {"content": "value of the setting " * 200}
for event in numbered([user("Write it."), *step("write", long, "Error: no such path", True) * 5]):
    patterns.take(event, *windows.take(event))
print(patterns.result(), seen)
"""


def said(seed: str, program: str = PROGRAM) -> str:
    environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "PATH": ""}
    ran = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_two_processes_with_different_hash_seeds_write_the_same_bytes_and_fingerprint() -> None:
    first, second = said("1"), said("2")
    assert first == second and first.count("\n") == 4


def test_two_processes_with_different_hash_seeds_read_the_same_calls_and_find_the_same_patterns() -> None:
    first, second = said("1", DIAGNOSED), said("2", DIAGNOSED)
    assert first == second and "loop" in first and "value of the setting" in first
