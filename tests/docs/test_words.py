"""Help, schema, messages and docs use the field's words, which `words.toml` lists."""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ackclock.cli.commands import COMMANDS, parser
from ackclock.scenario.formats.schema import schema

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "ackclock"

#: Calls whose texts a user reads: they raise, warn or print.
SAYS = re.compile(r"(Error|Refusal|Warning|^tell|^complain|^warn|^print|^error|^exit)$")


class Word(NamedTuple):
    """What is avoided, and what is said instead."""

    avoid: re.Pattern[str]
    prefer: str
    docs: bool


def words() -> list[Word]:
    table = tomllib.loads((Path(__file__).parent / "words.toml").read_text(encoding="utf-8"))
    return [Word(re.compile(one["avoid"]), one["prefer"], one.get("docs", True)) for one in table["word"]]


WORDS = words()


def found(text: str, *, prose: bool = False) -> list[str]:
    """What a text has of the avoided words, each with what to say instead."""
    plain = " ".join(text.split())
    chosen = [word for word in WORDS if word.docs or not prose]
    return [f"{hit[0]!r} ({word.prefer}) in: {plain[:160]}" for word in chosen if (hit := word.avoid.search(plain))]


def helps(of: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    yield of.prog, of.format_help()
    for action in of._actions:
        if isinstance(action, argparse._SubParsersAction):
            for sub in action.choices.values():
                yield from helps(sub)


@pytest.mark.parametrize(
    ("command", "text"), list(helps(parser(list(COMMANDS)))), ids=lambda part: str(part).split("\n")[0]
)
def test_help_has_the_words_of_the_field(command: str, text: str) -> None:
    assert not found(text), command


def texts_of(part: Any) -> Iterator[str]:
    """Keys and descriptions of a schema."""
    if isinstance(part, dict):
        for key, value in part.items():
            yield key
            if isinstance(value, str):
                yield value
            yield from texts_of(value)
    elif isinstance(part, list):
        for value in part:
            yield from texts_of(value) if isinstance(value, (dict, list)) else [str(value)]


def test_the_schema_has_the_words_of_the_field() -> None:
    assert [hit for text in texts_of(schema()) for hit in found(text.replace("_", " "))] == []


def text_of(node: ast.AST) -> str | None:
    """A literal's text; what an f-string puts in is left out."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)
    return None


def literals(of: ast.AST) -> Iterator[str]:
    text = text_of(of)
    if text is not None:
        yield from [text] if " " in text else []
        return
    for node in ast.iter_child_nodes(of):
        yield from literals(node)


def name_of(call: ast.Call) -> str:
    return str(getattr(call.func, "attr", None) or getattr(call.func, "id", ""))


def messages(tree: ast.AST) -> Iterator[str]:
    """Literals in what is raised and in calls that print, and in variables of functions that raise them."""
    for function in ast.walk(tree):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            calls = [node for node in ast.walk(function) if isinstance(node, ast.Call) and SAYS.search(name_of(node))]
            used = {name.id for call in calls for name in ast.walk(call) if isinstance(name, ast.Name)}
            for node in ast.walk(function):
                names = (
                    {getattr(target, "id", "") for target in node.targets} if isinstance(node, ast.Assign) else set()
                )
                if names & used:
                    yield from literals(node)
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) or (isinstance(node, ast.Call) and SAYS.search(name_of(node))):
            yield from literals(node)


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def test_messages_have_the_words_of_the_field() -> None:
    wrong: dict[str, list[str]] = {}
    for path in modules():
        name = path.relative_to(PACKAGE).as_posix()
        hits = [hit for text in messages(ast.parse(path.read_text(encoding="utf-8"))) for hit in found(text)]
        if hits:
            wrong[name] = sorted(set(hits))
    assert wrong == {}


def docstrings(tree: ast.AST) -> Iterator[str]:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        if isinstance(node, kinds) and (text := ast.get_docstring(node)) is not None:
            yield text


def prose_of(path: Path) -> str:
    """What a person reads in a page, without its code blocks, or in a module's docstrings."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return "\n".join(docstrings(ast.parse(text)))
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def test_docs_and_docstrings_have_the_words_of_the_field() -> None:
    pages = [*modules(), *sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("*.md"))]
    wrong = {path.relative_to(ROOT).as_posix(): found(prose_of(path), prose=True) for path in pages}
    # reference.md is made from help, schema and docstrings; CHANGELOG.md names what has another name now.
    assert {
        name: hits for name, hits in wrong.items() if hits and name not in ("docs/reference.md", "CHANGELOG.md")
    } == {}


def test_an_avoided_word_is_found() -> None:
    assert found("packets sent again") and found("x is no number") and not found("retransmitted packets")
    code = ast.parse('def f(x):\n    wrong = f"{x} is no number"\n    raise ValueError(wrong)\n')
    assert [hit for text in messages(code) for hit in found(text)]
