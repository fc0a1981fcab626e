"""Tcl's `file` for a script that is not trusted, in Python: for files in one folder and below.

Messages are those of Tcl 8.6 where it has one.
"""

from __future__ import annotations

import os
import shutil
import stat

from ackclock.ns2.bindings.tcl_object import NsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

#: Bits of a mode that a script may give a file: reading, writing and executing, no set-user-id.
_MODES = 0o777


class Files:
    """The files of a folder; the script itself may be read wherever it is."""

    #: Subcommands about names alone, which the safe interpreter has itself: hidden, and not hidden.
    HIDDEN_NAMES = frozenset(("dirname", "extension", "rootname", "tail"))
    NAMES = frozenset(("join", "pathtype", "split"))

    def __init__(self, folder: str, script: str) -> None:
        self.folder, self.script = folder, script
        self._commands: dict[str, Callable[..., object]] = {
            "copy": lambda *words: self._transfer("copy", words),
            "delete": self._delete,
            "exists": lambda name: os.path.exists(self.inside(name)),
            "isdirectory": lambda name: os.path.isdir(self.inside(name)),
            "isfile": lambda name: os.path.isfile(self.inside(name)),
            "mkdir": self._mkdir,
            "mtime": lambda name: int(self._stat(name).st_mtime),
            "readable": lambda name: os.access(self.inside(name), os.R_OK),
            "rename": lambda *words: self._transfer("rename", words),
            "size": lambda name: self._stat(name).st_size,
            "writable": lambda name: os.access(self.inside(name), os.W_OK),
        }

    def command(self, what: str, args: tuple[str, ...]) -> object:
        """`file WHAT ARGS`. `NsError` for a subcommand that is not here, by its full name, and for what goes wrong."""
        command = self._commands.get(what)
        if command is None:
            raise NsError(f"file {what} is not among what a script may do with files (--safe)")
        try:
            return command(*args)
        except TypeError:
            raise NsError(f'wrong # args: should be "file {what} name"') from None

    def inside(self, name: str) -> str:
        """The path of a file that the script may use, without symbolic links. `NsError` for any other."""
        if name == os.devnull:
            return name
        if "\0" in name:
            raise NsError(f'"{name}" is not a file name')
        path = os.path.realpath(os.path.join(self.folder, name))
        if os.path.commonpath([self.folder, path]) == self.folder:
            return path
        raise NsError(f'"{name}" is not in the folder that the script is run in: it may use no other (--safe)')

    def regular(self, name: str) -> str:
        """The same for a file that is opened. `NsError` for a pipe or a device: reading it may never end."""
        path = self.inside(name)
        try:
            mode = os.stat(path).st_mode
        except OSError:
            return path  # what opens it says what is wrong, or makes it
        if path != os.devnull and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise NsError(f'"{name}" is not a regular file; --safe allows no other')
        return path

    @staticmethod
    def mode(permissions: str) -> str:
        """The mode of a file that is made, from Tcl's word for it. `NsError` for what is no number."""
        try:
            # Tcl takes 0644 and 0o644 for octal.
            digits = permissions.lower().removeprefix("0o")
            return f"0o{int(digits, 8) & _MODES:o}"
        except ValueError:
            raise NsError(f'expected integer but got "{permissions}"') from None

    def _below(self, name: str) -> str:
        path = self.inside(name)
        if path in (self.folder, os.devnull):
            raise NsError(f'"{name}" is not in the folder that the script is run in: it may change no other (--safe)')
        return path

    def _stat(self, name: str) -> os.stat_result:
        try:
            return os.stat(self.inside(name))
        except OSError as error:
            raise NsError(f'could not read "{name}": {_said(error)}') from None

    def _mkdir(self, *names: str) -> None:
        for name in names:
            try:
                os.makedirs(self._below(name), exist_ok=True)
            except FileExistsError:
                raise NsError(f'can\'t create directory "{name}": file already exists') from None
            except OSError as error:
                raise NsError(f'can\'t create directory "{name}": {_said(error)}') from None

    def _delete(self, *words: str) -> None:
        names, force = _options("delete", words)
        for name in names:
            path = self._below(name)
            try:
                if os.path.isdir(path):
                    if force:
                        shutil.rmtree(path)
                    else:
                        os.rmdir(path)
                elif os.path.lexists(path):
                    os.remove(path)
            except OSError as error:
                raise NsError(f'error deleting "{name}": {_said(error)}') from None

    def _transfer(self, what: str, words: tuple[str, ...]) -> None:
        """`file copy` or `file rename`: sources to a name, or into a folder."""
        names, force = _options(what, words)
        if len(names) < 2:
            raise NsError(f'wrong # args: should be "file {what} ?-option value ...? source ?source ...? target"')
        into = os.path.isdir(self.inside(names[-1]))
        doing = {"copy": "copying", "rename": "renaming"}[what]
        if len(names) > 2 and not into:
            raise NsError(f'error {doing}: target "{names[-1]}" is not a directory')
        for name in names[:-1]:
            source = self._below(name)
            shown = os.path.join(names[-1], os.path.basename(source)) if into else names[-1]
            target = self._below(shown)
            if os.path.lexists(target) and source != target and (not force or os.path.isdir(target)):
                raise NsError(f'error {doing} "{name}" to "{shown}": file already exists')
            try:
                if what == "rename":
                    os.replace(source, target)
                elif os.path.isdir(source):
                    shutil.copytree(source, target, copy_function=self._copy)
                else:
                    self._copy(source, target)
            except (OSError, shutil.Error) as error:
                raise NsError(f'error {doing} "{name}" to "{shown}": {_said(error)}') from None

    def _copy(self, source: str, target: str) -> str:
        """Copy a regular file of the folder: what a folder that is copied holds may be a link that leads out of it."""
        shutil.copyfile(self.regular(source), target)
        return target


def _options(what: str, words: tuple[str, ...]) -> tuple[list[str], bool]:
    """The names among the words of a subcommand, and whether `-force` stands before them."""
    names, force = list(words), False
    while names and names[0].startswith("-"):
        option = names.pop(0)
        if option == "--":
            break
        if option != "-force":
            raise NsError(f'bad option "{option}": should be -force or --')
        force = True
    return names, force


def _said(error: Exception) -> str:
    """What the system says, as Tcl writes it: in small letters."""
    return (getattr(error, "strerror", None) or str(error)).lower()
