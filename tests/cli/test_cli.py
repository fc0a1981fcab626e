"""The commands, and the Python API behind them."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ackclock

ACKCLOCK = [sys.executable, "-m", "ackclock"]

#: Prints its arguments as Tcl sees them; needs the front end, not the engine.
ECHO = 'puts "$argc $argv"\nset f [open note w]\nputs $f kept\nclose $f\nexit [lindex $argv 0]\n'


def command(*words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*ACKCLOCK, *words], cwd=cwd, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def echo(tmp_path: Path) -> Path:
    script = tmp_path / "echo.tcl"
    script.write_text(ECHO)
    return script


def test_version() -> None:
    done = command("--version")
    assert done.stdout == f"ackclock {ackclock.__version__}\n"


def test_studies_are_listed_and_shown() -> None:
    assert "\n004  TCP Flavours" in "\n" + command("study", "list").stdout
    assert "0.565032800000007" in command("study", "show", "004").stdout


@pytest.mark.skipif(os.name != "posix", reason="pipes that nobody reads are of POSIX systems")
@pytest.mark.parametrize(
    "words", [("list",), ("study", "show", "004"), ("run", "scenario.toml"), ("trace", "stats", "out.tr")]
)
def test_a_reader_that_has_gone_is_nothing_to_complain_of(words: tuple[str, ...], tmp_path: Path) -> None:
    assert command("init", cwd=tmp_path).returncode == 0
    assert command("run", "scenario.toml", "--trace", "out.tr", cwd=tmp_path).returncode == 0
    nobody, end = os.pipe()
    os.close(nobody)
    with os.fdopen(end, "wb") as out:
        line = [*ACKCLOCK, *words]
        done = subprocess.run(line, cwd=tmp_path, stdout=out, stderr=subprocess.PIPE, timeout=60, check=False)
    # 128 + SIGPIPE, the status of a program that the signal ends.
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize(
    "words",
    [
        ("study", "run", "999"),
        ("study", "list", "--studies", "/nonexistent"),
        ("study", "run", "004", "--jobs", "0"),
        ("study", "run", "004", "--program", "/nonexistent/ns"),
    ],
)
def test_a_bad_command_is_one_line(words: tuple[str, ...], tmp_path: Path) -> None:
    done = command(*words, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("ackclock: ") and done.stderr.count("\n") == 1, done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("run", "camus.toml"), "camus.toml: No such file or directory; nearest there: campus.toml"),
        (("emulate", "other.toml"), "other.toml: No such file or directory"),
        (
            ("sweep", "nowhere/campus.toml"),
            "nowhere/campus.toml: No such file or directory (there is no folder nowhere)",
        ),
        (("run", "."), ".: Is a directory"),
    ],
    ids=lambda part: part[1] if isinstance(part, tuple) else "",
)
def test_a_file_that_cannot_be_read_is_named(words: tuple[str, ...], told: str, tmp_path: Path) -> None:
    (tmp_path / "campus.toml").touch()
    done = command(*words, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr == f"ackclock: {told}\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("sweep", "grid.toml", "--against", "flows.0.tcp=reno"), "--against: renamed; use --baseline"),
        (("sweep", "grid.toml", "--figures", "jain"), "--figures: renamed; use --metrics"),
        (("evaluate", "vegas", "--suite", "rfc9743", "--against=cubic"), "--against: renamed; use --baseline"),
        (("list", "pictures"), "pictures: renamed; use plots"),
    ],
)
def test_an_old_name_is_one_line_with_the_present_one(words: tuple[str, ...], told: str) -> None:
    done = command(*words)
    assert (done.returncode, done.stderr) == (2, f"ackclock: {told}\n")


def test_no_command_says_what_there_is() -> None:
    done = command()
    assert done.returncode == 2
    assert "ns2" in done.stderr


#: Modules that take long to load, Python's own and ours.
SLOW = {
    "argparse", "collections", "contextlib", "dataclasses", "enum", "functools", "inspect", "operator", "pathlib", "re",
    "signal", "subprocess", "threading", "traceback", "typing", "weakref", "matplotlib", "numpy", "tkinter",
    "ackclock.batch.study", "ackclock.analysis.plot", "ackclock.scenario", "ackclock.execution.results",
}  # fmt: skip


@pytest.mark.parametrize("queue", ["DropTail", "RED"])
def test_a_script_loads_nothing_that_it_does_not_need(queue: str, tmp_path: Path) -> None:
    code = """if True:
        import sys
        before = set(sys.modules)
        from ackclock.cli import main
        status = main(["ns2", *sys.argv[1:]])
        print(status, *sorted(set(sys.modules) - before))
    """
    dumbbell = Path(__file__).parents[2] / "benches" / "dumbbell.tcl"
    words = [str(dumbbell), *f"1 10 25 0.1 0 Sack1 {queue} 0.01 out.tr out.nam".split()]
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    status, *loaded = done.stdout.splitlines()[-1].split()
    assert status == "0" and "ackclock.ns2.otcl.interp" in loaded
    assert not SLOW & set(loaded)


def test_a_class_is_declared_when_a_script_names_it() -> None:
    """The table of the library's classes is that of the files, and none of these files is loaded at first."""
    code = """if True:
        import sys
        from ackclock.ns2 import library
        from ackclock.ns2.bindings.tcl_object import REGISTRY
        early = [name for name in library.MODULES if f"{library.__name__}.{name}" in sys.modules]
        library.load_all()
        found = {}
        for name, cls in REGISTRY.items():
            found.setdefault(cls.__module__.removeprefix(f"{library.__name__}."), set()).add(name)
        print(early, found == {name: set(classes.split()) for name, classes in library.MODULES.items()})
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[] True\n"


def test_absent_parts_of_classes_declare_what_is_said_of_them() -> None:
    code = """if True:
        from importlib import import_module
        from ackclock.ns2 import library
        from ackclock.ns2.bindings.tcl_object import REGISTRY, declared_in
        library.load_all()
        for cls in REGISTRY.values():
            for part, names in vars(cls).get("lazy_parts", {}).items():
                module, _, last = part.rpartition(".")
                declared = declared_in(getattr(import_module(f"{library.__name__}.{module}"), last))
                print(part, list(declared) == names.split())
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "lan.lans.SharedNetwork True" in done.stdout and "False" not in done.stdout


#: Commands that only say something.
SMALL = [("--version",), ("--help",), ("list",), ("list", "variants"), ("trace", "stats", "--help")]


@pytest.mark.parametrize("words", SMALL, ids=" ".join)
def test_a_small_command_loads_only_the_standard_library(words: tuple[str, ...]) -> None:
    """Other packages take most of the time of a start: rich alone doubles it."""
    code = f"""if True:
        import sys
        before = set(sys.modules)
        from ackclock.cli import main
        try:
            main({list(words)!r})
        except SystemExit:
            pass
        print(*(set(sys.modules) - before), file=sys.stderr)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert "ackclock" in loaded
    assert loaded - {"ackclock"} <= sys.stdlib_module_names


def test_a_command_loads_no_other() -> None:
    code = "import sys; from ackclock.cli import main; main(['list', 'variants']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"matplotlib", "numpy", "pyarrow", "tkinter", "shutil", "argcomplete"}
    assert not set(done.stderr.split()) & (heavy | {"ackclock.cli.trace", "ackclock.batch.study"})


def test_what_can_be_named_is_listed() -> None:
    listed = ("variants", "queues", "defaults", "studies", "topologies", "processes")
    lists = {what: command("list", what).stdout for what in listed}
    for what, name in (
        ("variants", "vegas"),
        ("queues", "drop_tail"),
        ("defaults", "rfc "),
        ("studies", "004 "),
        ("topologies", "parking_lot"),
        ("processes", "leo_satellite "),
        ("processes", "nr "),
    ):
        assert f"\n  {name}" in "\n" + lists[what], what
    whole = [row.split() for row in command("list").stdout.splitlines()]
    assert all(row.split() in whole for rows in lists.values() for row in rows.splitlines())
    for what in ("variants", "receivers", "queues", "sources", "losses"):
        for row in command("list", what).stdout.splitlines():
            assert row.endswith(")") and " (" in row, f"without its source: {row}"
    wrong = command("list", "nonesuch")
    assert wrong.returncode == 2
    assert "one of variants" in wrong.stderr


@pytest.fixture
def as_installed(tmp_path: Path) -> dict[str, str]:
    """An environment in which this checkout's command is found under its name."""
    program = tmp_path / "bin" / "ackclock"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.join(ACKCLOCK)} "$@"\n')
    program.chmod(0o755)
    return {**os.environ, "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}


def asked(shell: str, code: str, environment: dict[str, str], cwd: Path) -> str:
    """What code of a shell prints; nothing goes wrong in it."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run(
        [shell, "-c", code], cwd=cwd, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


#: What bash does at a Tab, in a bash that does it: the completion's own function, with the line in COMP_LINE.
AT_TAB = """
eval "$(ackclock completion bash)"
line={line}
COMP_LINE=$line COMP_POINT=${{#line}} COMP_TYPE=9
$(complete -p ackclock | sed 's/.*-F \\([^ ]*\\).*/\\1/') ackclock
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def test_bash_completes(as_installed: dict[str, str], tmp_path: Path) -> None:
    def offered(line: str) -> set[str]:
        said = asked("bash", AT_TAB.format(line=shlex.quote(line)), as_installed, tmp_path)
        return {word.strip() for word in said.splitlines()} - {""}

    (tmp_path / "net.toml").touch()
    assert {"run", "ns2", "study", "trace", "list", "init", "completion"} <= offered("ackclock ")
    assert offered("ackclock tr") == {"trace"}
    assert offered("ackclock trace st") == {"stats"}
    assert offered("ackclock trace stats --fo") == {"--format"}
    assert offered("ackclock trace stats --format p") == {"parquet"}
    assert "004" in offered("ackclock study run ")
    assert "variants" in offered("ackclock list ")
    assert "net.toml" in offered("ackclock run n")


def test_fish_completes(as_installed: dict[str, str], tmp_path: Path) -> None:
    code = 'ackclock completion fish | source; complete -C "ackclock trace st"; complete -C "ackclock study run "'
    said = asked("fish", code, as_installed, tmp_path)
    assert {"stats", "004"} <= {line.partition("\t")[0] for line in said.splitlines()}


def test_zsh_takes_the_completion(as_installed: dict[str, str], tmp_path: Path) -> None:
    code = 'autoload -U compinit; compinit -u -D; eval "$(ackclock completion zsh)"; echo $_comps[ackclock]'
    assert asked("zsh", code, as_installed, tmp_path) == "_python_argcomplete\n"


def test_arguments_pass_verbatim(echo: Path, tmp_path: Path) -> None:
    done = command("ns2", str(echo), "0", "--help", "-x", "two words", "", cwd=tmp_path)
    assert done.stdout == "5 0 --help -x {two words} {}\n"
    assert done.returncode == 0


def test_exit_status_is_the_scripts(echo: Path, tmp_path: Path) -> None:
    assert command("ns2", str(echo), "3", cwd=tmp_path).returncode == 3


def test_run_ns2(echo: Path, tmp_path: Path) -> None:
    (tmp_path / "old").write_text("not of this run")
    result = ackclock.run_ns2(echo, 0, "a b", cwd=tmp_path)
    assert result.status == 0
    assert result.stdout == "2 0 {a b}\n"
    assert result.files == {"note": tmp_path / "note"}


def test_run_ns2_raises_what_the_script_said(echo: Path, tmp_path: Path) -> None:
    with pytest.raises(ackclock.Ns2Error, match="status 4"):
        ackclock.run_ns2(echo, 4, cwd=tmp_path)
    assert ackclock.run_ns2(echo, 4, cwd=tmp_path, check=False).status == 4


def test_run_ns2_names_what_is_missing(echo: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nonesuch\.tcl"):
        ackclock.run_ns2("nonesuch.tcl")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        ackclock.run_ns2(echo, cwd=tmp_path / "nowhere")
