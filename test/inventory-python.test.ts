import { describe, expect, it } from "vitest";
import { provingGround } from "./support/proving-ground.ts";

const tests = `
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
`;
const listed = {
  "tests/test_a.py > test_one": "pass",
  "tests/test_a.py > test_skipped": "skip",
  "tests/test_a.py > test_expected": "skip",
  "tests/test_a.py > test_each[a]": "pass",
  "tests/test_a.py > test_each[b::c]": "pass",
  "tests/test_a.py > TestGroup > test_in": "pass",
  "tests/test_a.py > TestGroup > test_fails": "fail",
};
const pytest = "/usr/bin/python3 -m pytest";

describe("pytest", () => {
  it.each([pytest, `cd tests && ${pytest} -q --no-header`, `${pytest} -n 2`, "pytest"])(
    "is listed by `%s`",
    async (command) => {
      using ground = provingGround({ "tests/test_a.py": tests });
      const { exit, tail, inventory } = await ground.check(command);
      expect(exit, tail).toBe(1);
      expect(inventory, tail).toEqual({ runners: ["pytest"], tests: listed, cut: null });
    },
  );

  it("is cut by an early exit", async () => {
    const early = "import os\n\ndef test_a():\n    pass\n\ndef test_b():\n    os._exit(0)\n";
    using ground = provingGround({ "test_a.py": early, "test_b.py": tests });
    const { exit, inventory } = await ground.check(pytest);
    expect(exit).toBe(0);
    expect(inventory).toMatchObject({
      tests: { "test_a.py > test_a": "pass" },
      cut: "pytest began and did not come to its end",
    });
  });
});
