"""What is kept of a conversation, and what the next session is told, is the same in every process."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROGRAM = """
from callsheet import history
from callsheet.model.message import CallBlock, Message, ResultBlock, TextBlock

TOOLS = {"read": "path", "bash": "command", "edit": "path"}
said = [Message("user", (TextBlock("Mend the login in src/app/login.py. Never touch the migrations."),))]
for at in range(40):
    name = ("read", "bash", "edit")[at % 3]
    given = ("src/app/login.py", "pytest tests/test_login.py", f"src/app/part{at % 7}.py")[at % 3]
    call = CallBlock(id=f"c{at}", name=name, arguments={TOOLS[name]: given, "why": f"BOOK-77{at}1"})
    told = f"1 failed, 3 passed\\nError: ORD-{at}-99 is missing in /etc/app/{at}.toml\\n" + f"word{at % 5} " * 60
    said.append(Message("assistant", (TextBlock(f"I go with cookies because tokens expire, step {at}."), call)))
    said.append(Message("user", (ResultBlock(call_id=f"c{at}", blocks=(TextBlock(told),)),)))
    if at % 8 == 7:
        said.append(Message("assistant", (TextBlock("Done so far; the tests are still open."),)))
        said.append(Message("user", (TextBlock(f"Now task {at}: always keep order {at}431 in part{at}.py, too."),)))
for policy in history.POLICIES:
    held = history.OpenConversation(policy, window=3000, recall="recall", tokenizer="estimate")
    for each in said:
        held.add(each)
        view = held.prepare()
    print(policy, len(view.messages), repr(view))
    print(policy, [repr(each) for each in history.apply(policy, said, window=2000, tokenizer="estimate")])
print(history.starting(history.hand_over(said)))
"""


def said(seed: str) -> str:
    environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT / "src"), "PATH": ""}
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_two_processes_with_different_hash_seeds_keep_summarise_and_hand_over_the_same_bytes() -> None:
    first, second = said("1"), said("2")
    assert first == second
    assert "summary" in first and "cleared" in first and "migrations" in first
