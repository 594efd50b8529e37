# Lines of one runner in this process. The first is written at once: without the last one, the list is cut.
import json
import os
import sys
import time

# Taken now: tests replace such functions.
from posix import getpid, write


class Quiet:
    """A check never fails because its tests cannot be listed."""

    def __enter__(self):
        pass

    def __exit__(self, kind, error, trace):
        return kind is not None and issubclass(kind, Exception)


class Report:
    def __init__(self, folder, runner):
        self.pid = getpid()
        name = "%d-%x.jsonl" % (self.pid, time.perf_counter_ns())
        path = os.path.join(os.path.dirname(folder), "out", name)
        self.fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self.dumps = json.dumps
        self.written = set()
        self.add("begin", runner, int(time.time() * 1000))

    def add(self, *words):
        # A child that a test forked is not the runner.
        if getpid() == self.pid:
            write(self.fd, (self.dumps(words) + "\n").encode())

    def test(self, file, names, outcome, key=None):
        """A second report under the same key takes the place of the first."""
        again = key is not None and key in self.written
        self.written.add(key)
        self.add("test", file, names, outcome, again)

    def announce(self, count):
        self.add("announce", count)

    def end(self):
        self.add("end")


def tell_elsewhere(folder, start):
    """Packages of this project that were loaded from somewhere else: then its tests do not test it."""
    standard = getattr(sys, "stdlib_module_names", sys.builtin_module_names)
    top = start
    while not os.path.exists(os.path.join(top, ".git")) and os.path.dirname(top) != top:
        top = os.path.dirname(top)
    real = os.path.realpath(top) + os.sep
    lines = []
    while start.startswith(top):
        for place in (os.path.join(start, "src"), start):
            for name in modules_in(place):
                file = getattr(sys.modules.get(name), "__file__", None)
                if name not in standard and file and not os.path.realpath(file).startswith(real):
                    lines.append(json.dumps(["elsewhere", name, file]) + "\n")
        if start == top:
            break
        start = os.path.dirname(start)
    if lines:
        name = "%d-%x-elsewhere.jsonl" % (getpid(), time.perf_counter_ns())
        with open(os.path.join(os.path.dirname(folder), "out", name), "w") as report:
            report.write("".join(lines))


def modules_in(folder):
    if not os.path.isdir(folder):
        return
    for entry in os.scandir(folder):
        if entry.is_dir() and os.path.exists(os.path.join(entry.path, "__init__.py")):
            yield entry.name
        elif entry.name.endswith(".py") and os.path.basename(folder) == "src":
            yield entry.name[:-3]


def restore_environment(folder):
    """What tests start sees the environment as it was before the reporters came."""
    with open(os.path.join(os.path.dirname(folder), "environment.json"), "rb") as file:
        pieces = json.loads(file.read())
    for one in pieces:
        name, piece, separator = one["name"], one["piece"], one["separator"]
        value = os.environ.get(name, "")
        if value == piece:
            del os.environ[name]
        elif piece in value:
            os.environ[name] = value.replace(piece + separator, "").replace(separator + piece, "")
