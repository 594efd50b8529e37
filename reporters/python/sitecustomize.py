# Python loads this at its start, in every process of a check: it must be quick, print nothing and never fail.
import sys


class _Watch(object):
    """Lets a runner be imported as ever, and then adds its reporter."""

    def __init__(self, folder, reporters):
        self.folder = folder
        self.reporters = reporters
        self.active = []

    def find_spec(self, name, path=None, target=None):
        reporter = self.reporters.pop(name, None)
        if reporter is None:
            return None
        spec = None
        for finder in list(sys.meta_path):
            if finder is not self and hasattr(finder, "find_spec"):
                spec = finder.find_spec(name, path, target)
            if spec is not None:
                break
        if spec is not None and hasattr(spec.loader, "exec_module"):
            spec.loader = _Loader(spec, {"folder": self.folder, "active": self.active}, reporter)
        return spec


class _Loader(object):
    def __init__(self, spec, names, reporter):
        self.spec = spec
        self.loader = spec.loader
        self.names = names
        self.reporter = reporter

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        self.spec.loader = self.loader
        module.__loader__ = self.loader
        self.loader.exec_module(module)
        try:
            with open(self.names["folder"] + "/" + self.reporter, "rb") as file:
                code = compile(file.read(), file.name, "exec")
            exec(code, dict(self.names, module=module))
        except Exception:
            pass


def _load_next():
    """Whatever of this name would have been loaded without this file."""
    try:
        from _frozen_importlib import module_from_spec
        from _frozen_importlib_external import PathFinder
    except ImportError:
        from importlib.machinery import PathFinder
        from importlib.util import module_from_spec

    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        sys.modules.pop("sitecustomize", None)
        raise ImportError("there is no sitecustomize", name="sitecustomize")
    module = module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


if sys.version_info >= (3, 5):
    _here = __file__[: -len("/sitecustomize.py")]
    sys.path[:] = [_path for _path in sys.path if _path != _here]
    if sys.version_info >= (3, 8):
        _reporters = {"_pytest.config": "report_pytest.py", "unittest.runner": "report_unittest.py"}
        sys.meta_path.insert(0, _Watch(_here, _reporters))
    _load_next()
