import { describe, expect, it } from "vitest";
import { inFile, isMissing, listTests, python } from "../support/test-runners.ts";

const clean = "not {'NODE_OPTIONS', 'PYTHONPATH', 'GOFLAGS'} & set(os.environ)";

describe.skipIf(isMissing("pytest"))("the tests of pytest", () => {
  const pytest = `${python} -m pytest`;
  const tests = `
import os
import subprocess
import sys

import pytest

def test_one():
    pass

@pytest.mark.skip
def test_skipped():
    pass

@pytest.mark.xfail
def test_expected():
    assert False

@pytest.mark.parametrize("value", ["a", "b::c"])
def test_each(value):
    pass

class TestGroup:
    def test_in(self):
        pass

    def test_fails(self):
        assert False

@pytest.fixture
def broken():
    yield
    assert False

def test_teardown(broken):
    pass

def test_environment():
    assert ${clean}
    assert not [path for path in sys.path if "reports" in path]

def test_inner(tmp_path):
    (tmp_path / "test_x.py").write_text("import os\\n\\ndef test_x():\\n    os._exit(0)\\n")
    assert subprocess.run([sys.executable, "-m", "pytest", tmp_path]).returncode == 0
    (tmp_path / "test_x.py").write_text("def test_x():\\n    assert False\\n")
    assert pytest.main([str(tmp_path)]) == 1
`;
  const listed = inFile("tests/test_a.py", {
    test_one: "pass",
    test_skipped: "skip",
    test_expected: "skip",
    "test_each[a]": "pass",
    "test_each[b::c]": "pass",
    "TestGroup > test_in": "pass",
    "TestGroup > test_fails": "fail",
    test_teardown: "fail",
    test_environment: "pass",
    test_inner: "pass",
  });

  it("are listed with every way to start it, with workers too", async () => {
    const files = { "tests/test_a.py": tests, "tests/test_b.py": "def test_b():\n    pass\n" };
    const commands = [`cd tests && ${pytest} -q --no-header`, `${pytest} -n 2`];
    for (const { exit, tail, runners, cut, tests } of await listTests(files, commands)) {
      expect(exit, tail).toBe(1);
      expect({ runners, cut, tests }, tail).toEqual({
        runners: ["pytest"],
        cut: null,
        tests: { ...listed, "tests/test_b.py > test_b": "pass" },
      });
    }
  });

  it("are truncated by every kind of early end, and are absent if nothing runs", async () => {
    const files = {
      "test_exit.py": "import os\n\ndef test_a():\n    pass\n\ndef test_b():\n    os._exit(0)\n",
      "test_leave.py":
        'import pytest\n\ndef test_a():\n    pytest.exit("x", returncode=0)\n\ndef test_b():\n    pass\n',
    };
    const commands = [`${pytest} test_exit.py`, `${pytest} test_leave.py`, `${pytest} --collect-only`];
    const [exited, left, none] = await listTests(files, commands);
    expect(exited).toMatchObject({ exit: 0, cut: "pytest began and did not finish" });
    expect(exited?.tests).toEqual({ "test_exit.py > test_a": "pass" });
    expect(left).toMatchObject({ exit: 0, cut: "pytest announced 2 tests and reported 0" });
    expect(none).toMatchObject({ exit: 0, inventory: null });
  });
});

describe.skipIf(isMissing("pytest"))("tests that load another copy of the project", () => {
  // A package that pytest depends on, so that another copy of it exists.
  const test = "import iniconfig\n\ndef test_a():\n    assert iniconfig\n";
  const unit =
    "import unittest\nimport iniconfig\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        assert iniconfig\n";
  const pytest = `${python} -m pytest`;

  it.each([
    ["src", { "src/iniconfig/__init__.py": "raise RuntimeError()\n", "tests/test_a.py": test }],
    ["src of one file", { "src/iniconfig.py": "raise RuntimeError()\n", "tests/test_a.py": test }],
    [
      "the top",
      {
        "iniconfig/__init__.py": "raise RuntimeError()\n",
        "tests/test_a.py": `import sys\nsys.path = [p for p in sys.path if "iniconfig" not in p]\n${test}`,
        "pytest.ini": "[pytest]\naddopts = --import-mode=importlib\n",
      },
    ],
  ])("prove nothing: %s", async (name, files) => {
    const start = name === "the top" ? `cd tests && ${python} -P -m pytest` : pytest;
    const [alone, together] = await listTests(files as Record<string, string>, [start, `${start} -n 2`]);
    for (const listed of [alone, together]) {
      expect(listed?.exit, listed?.tail).not.toBe(0);
      expect(listed?.tail).toMatch(/the tests loaded `iniconfig` from \/\S+, which is not in this tree/);
    }
  });

  it("prove nothing with unittest either", async () => {
    const files = { "src/iniconfig/__init__.py": "raise RuntimeError()\n", "tests/test_a.py": unit };
    const [listed] = await listTests(files, [`${python} -m unittest tests/test_a.py`]);
    expect(listed?.tail).toMatch(/the tests loaded `iniconfig` from/);
    expect(listed?.exit).not.toBe(0);
  });

  it("are those of the tree if its folder is first on the path, and modules of Python's own do not count as the project's", async () => {
    const own = "import own_package, json\n\ndef test_a():\n    assert own_package and json\n";
    const files = {
      "src/own_package/__init__.py": "",
      "other/src/json/__init__.py": "",
      "tests/test_a.py": own,
    };
    const commands = [
      `PYTHONPATH=src:$PYTHONPATH ${pytest}`,
      `cd other && PYTHONPATH=../src:$PYTHONPATH ${pytest} ../tests`,
    ];
    for (const listed of await listTests(files, commands))
      expect(listed).toMatchObject({ exit: 0, cut: null });
  });
});

describe.skipIf(isMissing("python"))("the tests of unittest", () => {
  const tests = `
import io
import os
import unittest

class Group(unittest.TestCase):
    def test_one(self):
        pass

    def test_fails(self):
        self.fail()

    @unittest.skip("why")
    def test_skipped(self):
        pass

    @unittest.expectedFailure
    def test_expected(self):
        self.fail()

    def test_parts(self):
        for value in range(2):
            with self.subTest(value=value):
                self.assertEqual(value, 0)

    def test_cleanup(self):
        self.addCleanup(self.fail)

    def test_environment(self):
        self.assertTrue(${clean})

    def test_inner(self):
        class Inner(unittest.TestCase):
            def test_x(self):
                self.fail()
        suite = unittest.defaultTestLoader.loadTestsFromTestCase(Inner)
        unittest.TextTestRunner(stream=io.StringIO()).run(suite)

class Skipped(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise unittest.SkipTest("why")

    def test_never(self):
        pass
`;
  const listed = inFile("tests/test_a.py > Group", {
    test_one: "pass",
    test_fails: "fail",
    test_skipped: "skip",
    test_expected: "skip",
    test_parts: "fail",
    test_cleanup: "fail",
    test_environment: "pass",
    test_inner: "pass",
  });

  it("are listed, by its own runner and by another one", async () => {
    const own = `
import sys
import unittest

result = unittest.TestResult()
unittest.defaultTestLoader.discover(".").run(result)
sys.exit(not result.wasSuccessful())
`;
    const files = { "tests/__init__.py": "", "tests/test_a.py": tests, "own.py": own };
    const all = await listTests(files, [`${python} -m unittest`, `${python} own.py`]);
    for (const { exit, tail, runners, cut, tests } of all) {
      expect(exit, tail).toBe(1);
      expect({ runners, cut, tests }, tail).toEqual({
        runners: ["unittest"],
        cut: null,
        tests: { ...listed, "setUpClass (tests.test_a.Skipped)": "skip" },
      });
    }
  });

  it("are truncated by an early exit; other settings of the project are kept", async () => {
    const early =
      "import os\nimport unittest\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        os._exit(0)\n";
    const files = { "test_early.py": early, "lib/sitecustomize.py": "print('its own')\n" };
    const commands = [`${python} -m unittest`, `PYTHONPATH=lib:$PYTHONPATH ${python} -c "print(1)"`];
    const isolated = `PYTHONPATH=$PYTHONPATH:lib ${python} -c "print(2)" && ${python} -I -c "print(3)"`;
    const [cut, first, last] = await listTests(files, [...commands, isolated]);
    expect(cut).toMatchObject({ exit: 0, cut: "unittest began and did not finish" });
    expect(first).toMatchObject({ tail: "its own\n1\n", inventory: null });
    expect(last).toMatchObject({ tail: "its own\n2\n3\n", inventory: null });
  });
});
