import { describe, expect, it } from "vitest";
import { isMissing, listTests } from "../support/test-runners.ts";

describe.skipIf(isMissing("go"))("the tests of go", () => {
  it("are listed by folder; a binary that exits early truncates the list, and no test sees the reporter", async () => {
    const files = {
      "go.mod": "module example.com/m\n\ngo 1.19\n",
      "one_test.go": `package m

import (
	"fmt"
	"os"
	"testing"
)

func TestOne(t *testing.T)  { fmt.Print("no line break") }
func TestSkip(t *testing.T) { t.Skip("why") }
func TestSub(t *testing.T) {
	for _, name := range []string{"a b", "c"} {
		t.Run(name, func(t *testing.T) { t.Parallel() })
	}
}
func TestEnvironment(t *testing.T) {
	for _, name := range []string{"GOFLAGS", "NODE_OPTIONS", "PYTHONPATH"} {
		if os.Getenv(name) != "" {
			t.Fatal(name)
		}
	}
}
`,
      "sub/two_test.go":
        'package sub\n\nimport "testing"\n\nfunc TestFails(t *testing.T) { t.Fatal("boom") }\n',
      "early/early_test.go":
        'package early\n\nimport (\n\t"syscall"\n\t"testing"\n)\n\nfunc TestA(t *testing.T) { syscall.Exit(0) }\n',
    };
    const [got] = await listTests(files, ["go test . ./early && go test ./sub"]);
    expect(got?.exit, got?.tail).toBe(1);
    expect(got?.tail).toMatch(/^ok .*\nok .*\n/); // without the reporter
    expect(got).toMatchObject({
      runners: ["go test"],
      cut: "go test began TestA in early and reported no outcome",
    });
    expect(got?.tests).toEqual({
      ". > TestOne": "pass",
      ". > TestSkip": "skip",
      ". > TestSub": "pass",
      ". > TestSub/a_b": "pass",
      ". > TestSub/c": "pass",
      ". > TestEnvironment": "pass",
      "sub > TestFails": "fail",
    });
  });
});

describe.skipIf(isMissing("cargo"))("the tests of cargo", () => {
  it("are listed by target; a program that exits early truncates the list", async () => {
    const files = {
      "Cargo.toml": '[package]\nname = "foo"\nversion = "0.1.0"\nedition = "2021"\n',
      "Cargo.lock": 'version = 3\n\n[[package]]\nname = "foo"\nversion = "0.1.0"\n',
      "src/lib.rs": `/// Adds.
/// \`\`\`
/// assert_eq!(foo::add(1, 2), 3);
/// \`\`\`
pub fn add(a: i32, b: i32) -> i32 { a + b }

#[cfg(test)]
mod tests {
    #[test]
    fn one() { println!("printed"); }
    #[test]
    #[ignore = "why"]
    fn ignored() {}
    #[test]
    #[should_panic]
    fn panics() { panic!(); }
}
`,
      "tests/early.rs": "#[test]\nfn early() { std::process::exit(0); }\n",
      "tests/fails.rs": "#[test]\nfn fails() { panic!(); }\n",
    };
    const [got] = await listTests(files, ["cargo test --offline --no-fail-fast"]);
    expect(got?.exit, got?.tail).not.toBe(0);
    expect(got).toMatchObject({
      runners: ["cargo test"],
      cut: "cargo test began tests/early.rs and did not finish",
    });
    expect(got?.tests).toEqual({
      "src/lib.rs > foo > tests::one": "pass",
      "src/lib.rs > foo > tests::ignored": "skip",
      "src/lib.rs > foo > tests::panics": "pass",
      "tests/fails.rs > fails > fails": "fail",
      "src/lib.rs > foo > add (documentation)": "pass",
    });
  });
});
