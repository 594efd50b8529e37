# Runs after `unittest.runner` was imported, as `module`. The reporters lie in `folder`; `active` has the one at work.
import os
import sys

report = {}
with open(folder + "/report.py", "rb") as file:
    exec(compile(file.read(), file.name, "exec"), report)
quiet = report["Quiet"]()


class Run:
    """The tests whose outcomes one result gets."""

    def __init__(self):
        report["restore_environment"](folder)
        self.report = report["Report"](folder, "unittest")
        self.count = 0
        active.append(self)

    def watch(self, result):
        for name, outcome in outcomes.items():
            method = getattr(result, name, None)
            if method is not None:
                setattr(result, name, self.told(method, outcome))
        setattr(result, "startTest", self.counted(result.startTest))
        setattr(result, "addSubTest", self.told_of_part(result.addSubTest))

    def counted(self, method):
        def call(test):
            self.count += 1
            return method(test)

        return call

    def told(self, method, outcome):
        def call(test, *words, **options):
            # What is skipped within a test is not the test.
            if not hasattr(test, "test_case"):
                self.tell(test, outcome)
            return method(test, *words, **options)

        return call

    def told_of_part(self, method):
        def call(test, part, error):
            if error is not None:
                self.tell(test, "fail")
            return method(test, part, error)

        return call

    def tell(self, test, outcome):
        with quiet:
            file, names = parts_of(test)
            self.report.test(file, names, outcome, (self.count, test.id()))

    def end(self):
        with quiet:
            self.report.end()
            report["tell_elsewhere"](folder, os.getcwd())


outcomes = {
    "addSuccess": "pass",
    "addError": "fail",
    "addFailure": "fail",
    "addUnexpectedSuccess": "fail",
    "addSkip": "skip",
    "addExpectedFailure": "skip",
}


def parts_of(test):
    name, kind = test.id(), type(test)
    if kind.__module__.partition(".")[0] == "unittest":
        return "", [name]
    file = getattr(sys.modules.get(kind.__module__), "__file__", None) or ""
    start = kind.__module__ + "."
    if not file or not name.startswith(start):
        return file, [name]
    group = kind.__qualname__ + "."
    rest = name[len(start) :]
    if rest.startswith(group):
        return file, [kind.__qualname__, rest[len(group) :]]
    return file, [rest]


def begin():
    """Nothing for a run within a run."""
    with quiet:
        return None if active else Run()


def finish(run):
    if run is not None and run in active:
        active.remove(run)


Runner = module.TextTestRunner
run_tests = Runner.run


def run_and_report(self, test):
    run = begin()
    if run is None:
        return run_tests(self, test)
    make_result = self._makeResult

    def make_and_watch():
        result = make_result()
        with quiet:
            run.watch(result)
        return result

    self._makeResult = make_and_watch
    try:
        result = run_tests(self, test)
        run.end()
        return result
    finally:
        del self._makeResult
        finish(run)


Runner.run = run_and_report

# Runners of projects, which may call no method of the one above.
Suite = sys.modules["unittest.suite"].TestSuite
run_suite = Suite.run


def run_suite_and_report(self, result, *words, **options):
    run = begin()
    if run is None:
        return run_suite(self, result, *words, **options)
    try:
        with quiet:
            run.watch(result)
        result = run_suite(self, result, *words, **options)
        run.end()
        return result
    finally:
        finish(run)


Suite.run = run_suite_and_report
