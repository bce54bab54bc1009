"""A command's system calls by Linux's ptrace, stopped where one changes a folder's file.

A filter in the kernel (seccomp) stops the command at such calls only, so that following it costs next to nothing.

Run as a program this is a server that forks a child for each request, and imports what children imported, so that the
next one need not: a run costs no start-up. Requests and answers are lines of JSON; `killing.Launcher` speaks them. The
command itself is unchanged: its calls are counted below Python, SQLite and every other library.
"""

import ctypes
import gc
import io
import json
import os
import platform
import signal
import struct
import sys
import traceback
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module

TRACEME, GO_ON, GO_TO_END_OF_CALL, SET_OPTIONS, CALL_INFO = 0, 7, 24, 0x4200, 0x420E
MARK_CALLS, FOLLOW, FILTERED, DIE_WITH_TRACER = 1, 2 | 4 | 8 | 16, 0x80, 0x100000
END_OF_CALL = signal.SIGTRAP | 0x80
FILTERED_CALL = 7
NO_NEW_PRIVILEGES, SET_SECCOMP, FILTER = 38, 22, 2
LOAD, IF_EQUAL, IF_ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, TRACE = 0x7FFF0000, 0x7FF00000
ALL_TASKS = 0x40000000
INFO_BYTES = 88
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC

CALL = "call"
"""The first word of what is no command: the module of a helper follows, whose `main` takes the rest."""

NUMBERS = {
    "x86_64": """open 2, creat 85, openat 257, write 1, pwrite64 18, writev 20, pwritev 296, ftruncate 77, truncate 76,
        fallocate 285, fsync 74, fdatasync 75, rename 82, renameat 264, renameat2 316, link 86, linkat 265, symlink 88,
        symlinkat 266, unlink 87, unlinkat 263, mkdir 83, mkdirat 258, rmdir 84, chmod 90, fchmod 91, fchmodat 268""",
    "aarch64": """openat 56, write 64, pwrite64 68, writev 66, pwritev 70, ftruncate 46, truncate 45, fallocate 47,
        fsync 82, fdatasync 83, renameat 38, renameat2 276, linkat 37, symlinkat 36, unlinkat 35, mkdirat 34, fchmod 52,
        fchmodat 53""",
}
CALLS = {
    int(number): name
    for name, number in (line.split() for line in NUMBERS.get(platform.machine(), "").split(",") if line)
}
BY_DESCRIPTOR = {
    *("write", "pwrite64", "writev", "pwritev", "ftruncate", "fallocate", "fsync", "fdatasync", "fchmod"),
}
LAST_PATH = {"rename": 1, "link": 1, "symlink": 1, "renameat": 3, "renameat2": 3, "linkat": 3, "symlinkat": 2}
"""The argument that is the new name, of calls that give one."""

OPENING = {"open": 1, "openat": 2}
"""The argument that has the flags."""

_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes, _libc.ptrace.restype = [ctypes.c_long] * 4, ctypes.c_long


def ptrace(request: int, task: int, address: int = 0, data: int = 0) -> int:
    result: int = _libc.ptrace(request, task, address, data)
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"ptrace {request:#x} is refused: {os.strerror(error)}")
    return result


@dataclass
class Traced:
    """A command in a child process; `events` are the calls so far that changed a file below `folder`."""

    folder: str
    leader: int
    events: list[str] = field(default_factory=list)
    status: int | None = None
    _tasks: set[int] = field(default_factory=set)
    _stopped: int | None = None

    @classmethod
    def start(cls, arguments: list[str], folder: str, streams: tuple[int, int], modules: int) -> "Traced":
        """Fork a child that stands still before its first call; at its end it tells what modules it has."""
        leader = os.fork()
        if leader == 0:
            _become(arguments, folder, streams, modules)
        os.waitpid(leader, 0)
        ptrace(SET_OPTIONS, leader, 0, MARK_CALLS | FOLLOW | FILTERED | DIE_WITH_TRACER)
        return cls(os.path.realpath(folder), leader, _tasks={leader}, _stopped=leader)

    def go_on(self, number: int | None = None, moment: str = "before") -> bool:
        """Let it run to its end, or until it stands before or after its call of this number; True if it stands."""
        if self._stopped is not None:
            ptrace(GO_ON, self._stopped)
            self._stopped = None
        while self._tasks:
            task, status = os.waitpid(-1, ALL_TASKS)
            if not os.WIFSTOPPED(status):
                self._ended(task, status)
            elif self._stands(task, status, number, moment):
                self._stopped = task
                return True
        return False

    def kill(self) -> None:
        """Send SIGKILL to all of it, and wait until it is gone."""
        for task in self._tasks:
            try:
                os.kill(task, signal.SIGKILL)
            except ProcessLookupError:
                continue
        while self._tasks:
            task, status = os.waitpid(-1, ALL_TASKS)
            if not os.WIFSTOPPED(status):
                self._ended(task, status)

    def _ended(self, task: int, status: int) -> None:
        self._tasks.discard(task)
        if task == self.leader:
            self.status = status

    def _stands(self, task: int, status: int, number: int | None, moment: str) -> bool:
        """Look at a task that the kernel stopped; tell whether this is where it was to stand, else let it go on."""
        self._tasks.add(task)
        given, event = os.WSTOPSIG(status), status >> 16
        if given == END_OF_CALL:
            return True
        how = GO_ON
        if event == FILTERED_CALL:
            change = self._change(task)
            if change is not None:
                self.events.append(change)
                if number == len(self.events):
                    if moment == "before":
                        return True
                    how = GO_TO_END_OF_CALL
        is_news = event or given == signal.SIGSTOP  # of a call, a new thread or process, or its own first stop
        with suppress(ProcessLookupError):  # killed meanwhile
            ptrace(how, task, 0, 0 if is_news else given)
        return False

    def _change(self, task: int) -> str | None:
        """Name the change that a task's call makes in the folder; None if it makes none."""
        info = ctypes.create_string_buffer(INFO_BYTES)
        ptrace(CALL_INFO, task, INFO_BYTES, ctypes.addressof(info))
        number, *arguments = struct.unpack_from("7Q", info.raw, 24)
        name = CALLS[number]
        if name in BY_DESCRIPTOR:
            path = _link(f"/proc/{task}/fd/{arguments[0]}")
        else:
            at = LAST_PATH.get(name, 1 if name.endswith("at") else 0)
            path = os.path.join(_link(f"/proc/{task}/cwd"), _text(task, arguments[at]))
        if os.path.commonpath([self.folder, os.path.realpath(path)]) != self.folder:
            return None
        return f"{name} {os.path.relpath(path, self.folder)}"


def _stop_at_changes() -> None:
    """Have the kernel stop this process, which is traced, at every call of `CALLS` (opening: for writing)."""
    program = [(LOAD, 0, 0, 0)]
    for number, name in CALLS.items():
        if name in OPENING:
            look = [(LOAD, 0, 0, 16 + 8 * OPENING[name]), (IF_ANY_BIT, 0, 1, WRITING)]
            program += [(IF_EQUAL, 0, 4, number), *look, (RETURN, 0, 0, TRACE), (RETURN, 0, 0, ALLOW)]
        else:
            program += [(IF_EQUAL, 0, 1, number), (RETURN, 0, 0, TRACE)]
    program.append((RETURN, 0, 0, ALLOW))
    text = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in program))
    header = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(program), ctypes.addressof(text)))
    for request in ((NO_NEW_PRIVILEGES, 1, 0), (SET_SECCOMP, FILTER, ctypes.addressof(header))):
        if _libc.prctl(*map(ctypes.c_ulong, request), ctypes.c_ulong(0), ctypes.c_ulong(0)):
            raise OSError(ctypes.get_errno(), f"prctl {request[0]} is refused")


def _link(path: str) -> str:
    """What a descriptor or a working folder is; nowhere for pipes and files without a name."""
    try:
        found = os.readlink(path)
    except OSError:
        return "/"
    return found if found.startswith("/") else "/"


def _text(task: int, address: int) -> str:
    """The text at an address of the command's memory."""
    with open(f"/proc/{task}/mem", "rb", buffering=0) as memory:
        memory.seek(address)
        found = b""
        while b"\0" not in found:
            found += memory.read(4096 - (address + len(found)) % 4096)
    return os.fsdecode(found.split(b"\0")[0])


def _become(arguments: list[str], folder: str, streams: tuple[int, int], modules: int) -> None:
    """Be the command: never returns."""
    code = 70
    try:
        os.chdir(folder)
        for target, stream in enumerate(streams, start=1):
            os.dup2(stream, target)
        sys.stdout, sys.stderr = (io.TextIOWrapper(io.FileIO(n, "w"), write_through=True) for n in (1, 2))
        sys.argv = ["mechdesign", *arguments]
        ptrace(TRACEME, 0)
        os.kill(os.getpid(), signal.SIGSTOP)
        _stop_at_changes()
        if arguments[:1] == [CALL]:
            import_module(arguments[1]).main(arguments[2:])
        else:
            import_module("mechdesign_cli.entry").entry()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        os.write(modules, "\n".join(sys.modules).encode())
        os._exit(code)


def _answers() -> Iterator[dict[str, object]]:
    """Answer each request: run to the end, be killed at a call, or stand at a call until another request comes."""
    while line := sys.stdin.readline():
        asked = json.loads(line)
        streams = [os.memfd_create(name) for name in ("stdout", "stderr", "modules")]
        traced = Traced.start(asked["arguments"], asked["folder"], (streams[0], streams[1]), streams[2])
        stands = traced.go_on(asked["number"], asked["moment"])
        if stands and asked["hold"]:
            yield {"events": traced.events}
            sys.stdin.readline()
            traced.go_on()
        elif stands:
            traced.kill()
        out, err, modules = (os.pread(stream, 1 << 20, 0).decode() for stream in streams)
        for stream in streams:
            os.close(stream)
        _know(modules.splitlines())
        code = os.waitstatus_to_exitcode(traced.status or 0)
        yield {"events": traced.events, "code": code, "out": out, "err": err}


def _know(modules: list[str]) -> None:
    """Import what is not yet imported, so that every later child has it."""
    for module in modules:
        if module not in sys.modules:
            try:
                import_module(module)
            except ImportError:
                continue
    gc.collect()
    gc.freeze()


def serve() -> None:
    """Answer requests until standard input ends."""
    import_module("mechdesign_cli.app")
    for answer in _answers():
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    serve()
