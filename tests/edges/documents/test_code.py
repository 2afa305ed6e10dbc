"""Code: sections at definitions, with the path of their names, in nine languages."""

import ast
import sysconfig
from pathlib import Path

import pytest

from callsheet.core.text.sections import LIMIT
from callsheet.edges.documents.reading import read

from .made import covers, one_of, outline

LONG = "    # " + "x" * 80 + "\n"
PYTHON = f'''"""What the file is for."""

import os

# Above the class.
@frozen
class Keys(Base):
    """All keys."""

    name = "é"

    # Above the method.
    @property
    def revoked(self):
        def inner():
            pass
{LONG * 8}
        return inner

    async def rotate(self):
{LONG * 8}
        return None

LIMIT = 3


def alone(): pass
'''


def test_python_is_cut_at_classes_methods_and_functions(tmp_path: Path) -> None:
    document = one_of(tmp_path, "src/keys.py", PYTHON)
    found = outline(document)
    assert [path for path, _ in found] == [
        "src/keys.py",
        "src/keys.py > Keys",
        "src/keys.py > Keys > revoked",
        "src/keys.py > Keys > rotate",
        "src/keys.py",
        "src/keys.py > alone",
    ]
    texts = [text for _, text in found]
    assert texts[1].startswith("# Above the class.\n@frozen\nclass Keys") and texts[1].endswith('name = "é"')
    assert texts[2].startswith("# Above the method.\n    @property") and "def inner" in texts[2]
    assert texts[4] == "LIMIT = 3"
    assert document.text == PYTHON and document.document_id == "src/keys.py" and covers(document)


def test_what_the_file_says_of_itself_stands_beside_each_section_unless_it_is_a_licence(tmp_path: Path) -> None:
    document = one_of(tmp_path, "a.py", "#!/bin/python\n# Copyright somebody\n" + PYTHON)
    assert {block.context for block in document.outline or ()} == {'"""What the file is for."""'}


def test_a_class_that_fits_a_section_is_one(tmp_path: Path) -> None:
    text = "class A:\n    def f(self): pass\n\n    def g(self): pass\n"
    assert outline(one_of(tmp_path, "a.py", text)) == [("a.py > A", text.strip())]


BODY = "x" * LIMIT
LANGUAGES = {
    "a.js": (f"export class A {{\n  f() {{ return '{BODY}' }}\n}}\nconst g = () => 1\n", ["A", "A > f", "g"]),
    "a.ts": (
        f"interface I {{ a: string }}\nenum E {{ A }}\nclass A {{\n  f(): string {{ return '{BODY}' }}\n}}\n",
        ["I", "E", "A", "A > f"],
    ),
    "a.tsx": ("export function View() {\n  return <p>hello</p>\n}\n", ["View"]),
    "a.go": (
        "package a\n\n// T is.\ntype T struct{ a int }\n\nfunc (t T) F() {}\n\nfunc G() {}\n",
        ["", "T", "F", "G"],
    ),
    "a.rs": (
        f"struct T;\n\nimpl T {{\n    /// Says.\n    fn f() {{ '{BODY}' }}\n}}\n\nmod m {{}}\n",
        ["T", "T", "T > f", "m"],
    ),
    "a.java": (f"class A {{\n  A() {{}}\n  void f() {{ g('{BODY}'); }}\n}}\n", ["A", "A > A", "A > f"]),
    "a.c": (
        "int announced(int a);\nstatic int *f(int a) {\n  return 0;\n}\nint g(void) { return 1; }\n",
        ["", "f", "g"],
    ),
    "a.cpp": (
        f"namespace n {{\ntemplate <class T> class A {{\n  void f() {{ g('{BODY}'); }}\n}};\n}}\n",
        ["n", "n > A", "n > A > f"],
    ),
    "a.rb": (f"module M\n  class A\n    def f\n      '{BODY}'\n    end\n  end\nend\n", ["M", "M > A", "M > A > f"]),
}


@pytest.mark.parametrize("name", LANGUAGES)
def test_definitions_of_other_languages_are_borders(tmp_path: Path, name: str) -> None:
    text, paths = LANGUAGES[name]
    document = one_of(tmp_path, name, text)
    assert [" > ".join(block.path[1:]) for block in document.outline or ()] == paths
    assert covers(document)


def test_a_comment_above_a_definition_belongs_to_it(tmp_path: Path) -> None:
    document = one_of(tmp_path, "a.go", LANGUAGES["a.go"][0])
    assert outline(document)[1] == ("a.go > T", "// T is.\ntype T struct{ a int }")


def test_a_comment_further_above_does_not(tmp_path: Path) -> None:
    document = one_of(tmp_path, "a.py", "x = 1\n\n# Of x.\n\n\ndef f(): pass\n")
    assert outline(document) == [("a.py", "x = 1\n\n# Of x."), ("a.py > f", "def f(): pass")]


@pytest.mark.parametrize("text", ["class A(:\n  def f(\n", "(" * 50_000, "def f():\n" * 3_000, "é" * 100, "\x0c\n\x0b"])
def test_code_that_is_wrong_is_read_all_the_same(tmp_path: Path, text: str) -> None:
    assert covers(one_of(tmp_path, "a.py", f"x = 1\n{text}"))


def test_code_in_other_languages_is_cut_at_paragraphs(tmp_path: Path) -> None:
    assert outline(one_of(tmp_path, "a.kt", "fun a() {}\n\nfun b() {}\n")) == [("", "fun a() {}\n\nfun b() {}")]


@pytest.mark.parametrize("module", ["argparse.py", "dataclasses.py", "html/entities.py", "tokenize.py"])
def test_real_modules_keep_every_character_and_name_their_definitions(module: str) -> None:
    library = Path(sysconfig.get_path("stdlib"))
    (found,) = read(library / module, library)
    assert covers(found.document)
    named = {block.path[1] for block in found.document.outline or () if len(block.path) > 1}
    tree = ast.parse(found.document.text)
    assert named == {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
