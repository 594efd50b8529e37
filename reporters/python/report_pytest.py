# Runs after `_pytest.config` was imported, as `module`. The reporters lie in `folder`; `active` has the one at work.
import os

report = {}
with open(folder + "/report.py", "rb") as file:
    exec(compile(file.read(), file.name, "exec"), report)
quiet = report["Quiet"]()


def reporter_of_tests():
    from pytest import hookimpl

    class Reporter:
        def __init__(self):
            self.top = ""
            self.root = ""
            self.report = None
            self.outcomes = {}

        @hookimpl(tryfirst=True)
        def pytest_sessionstart(self, session):
            with quiet:
                config = session.config
                self.top = str(getattr(config, "rootpath", None) or config.rootdir)
                # A worker's controller reports for it; and what is only collected does not run.
                if hasattr(config, "workerinput") or config.option.collectonly:
                    return
                self.root = self.top
                self.report = report["Report"](folder, "pytest")

        def pytest_collection_finish(self, session):
            self.announce(len(session.items))

        @hookimpl(optionalhook=True)
        def pytest_xdist_node_collection_finished(self, ids):
            self.announce(len(ids))

        def announce(self, count):
            with quiet:
                if self.report is not None and count > 0:
                    self.report.announce(count)

        @hookimpl(tryfirst=True)
        def pytest_runtest_logreport(self, report):
            with quiet:
                if self.report is not None and report.outcome != "rerun":
                    self.log(report)

        def log(self, phase):
            key = phase.nodeid
            outcome = outcome_of(phase)
            # The outcome of a subtest is one of its test only if it failed.
            if outcome == "fail" or not hasattr(phase, "context"):
                if phase.when == "setup" or self.outcomes.get(key, "pass") == "pass":
                    self.outcomes[key] = outcome
            # A worker that crashed reports its test in no phase.
            if phase.when not in ("setup", "call"):
                path, names = parts_of(key)
                self.report.test(os.path.join(self.root, path), names, self.outcomes.pop(key, outcome), key)

        @hookimpl(tryfirst=True)
        def pytest_sessionfinish(self):
            with quiet:
                if self.report is not None:
                    self.report.end()
                # Also in a worker: it is the one that loads what is tested.
                report["tell_elsewhere"](folder, self.top)

    return Reporter()


def outcome_of(phase):
    if hasattr(phase, "wasxfail") and phase.outcome != "failed":
        return "skip"
    return {"passed": "pass", "failed": "fail"}.get(phase.outcome, "skip")


def parts_of(nodeid):
    """The parameters of a test may hold the separator."""
    plain, bracket, parameters = nodeid.partition("[")
    path, *names = plain.split("::")
    if names:
        names[-1] += bracket + parameters
    return path, names


get_config = module.get_config


def get_config_and_report(*words, **options):
    config = get_config(*words, **options)
    with quiet:
        # A test that runs pytest in this process is not the runner.
        if not active:
            reporter = reporter_of_tests()
            active.append(reporter)
            report["restore_environment"](folder)
            config.pluginmanager.register(reporter, "%x" % id(reporter))
    return config


module.get_config = get_config_and_report
