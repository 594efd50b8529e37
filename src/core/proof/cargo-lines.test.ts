import { describe, expect, it } from "vitest";
import { CargoLines } from "./cargo-lines.ts";
import { InventoryRecord } from "./inventory.ts";

const read = (text: string, size = text.length) => {
  const [lines, record] = [new CargoLines(), new InventoryRecord()];
  for (let at = 0; at < text.length; at += size) lines.add(text.slice(at, at + size));
  lines.finish(record);
  const inventory = record.inventory();
  return inventory && { ...inventory, tests: Object.fromEntries(Object.entries(inventory.tests)) };
};

const result =
  "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
const unit = "     Running unittests src/lib.rs (target/debug/deps/foo-28a01a7770d7ff1d)\n\n";
const whole = `   Compiling foo v0.1.0 (/x)
${unit}running 5 tests
test tests::a ... ok
test tests::b ... FAILED
test tests::c ... ignored, why
test tests::d - should panic ... ok
test tests::e ... bench:          12 ns/iter (+/- 1)

failures:

${result}
   Doc-tests foo

running 3 tests
test src/lib.rs - add (line 7) ... ok
test src/lib.rs - (line 2) ... ok
test src/lib.rs - add (line 17) - compile fail ... ok

${result}`;

describe("the output of cargo test", () => {
  it("is read by target, in chunks of any size", () => {
    const expected = {
      runners: ["cargo test"],
      tests: {
        "src/lib.rs > foo > tests::a": "pass",
        "src/lib.rs > foo > tests::b": "fail",
        "src/lib.rs > foo > tests::c": "skip",
        "src/lib.rs > foo > tests::d": "pass",
        "src/lib.rs > foo > tests::e": "pass",
        "src/lib.rs > foo > add (documentation)": "pass",
        "src/lib.rs > foo > top (documentation)": "pass",
        "src/lib.rs > foo > add (documentation) #2": "pass",
      },
      cut: null,
    };
    for (const size of [whole.length, 1, 7]) expect(read(whole, size)).toEqual(expected);
    const coloured = whole
      .replaceAll("ok\n", "\u001b[32mok\u001b[0m\n")
      .replaceAll("     Running", "\u001b[1m     Running\u001b[0m");
    expect(read(coloured)).toEqual(expected);
  });

  it("is read if tests print before their outcome", () => {
    const printed = `${unit}running 2 tests\ntest a ... printed\nmore\nok\ntest b ... \nthread 'b' panicked\nFAILED\n\n${result}`;
    expect(read(printed)?.tests).toEqual({ "src/lib.rs > foo > a": "pass", "src/lib.rs > foo > b": "fail" });
  });

  it("is cut if a program did not finish, whether the last one or an earlier one", () => {
    const cut = "cargo test began src/lib.rs and did not finish";
    const early = `${unit}running 2 tests\ntest a ... ok\n`;
    expect(read(early)).toMatchObject({ cut, tests: { "src/lib.rs > foo > a": "pass" } });
    expect(read(early + whole)?.cut).toBe(cut);
    expect(read(`${unit}running 2 tests\n`)?.cut).toBe(cut);
  });

  it("is ignored in its short form, and if other programs print such lines", () => {
    expect(read(`running 3 tests\ni..\n${result}`)).toBeNull();
    expect(read(`${unit}running 3 tests\ni..\n${result}`)).toBeNull();
    expect(read("running 3 tests\nall is well\n")).toBeNull();
    expect(read("test a ... ok\n")).toBeNull();
    expect(read(`${unit}running 0 tests\n\n${result}`)).toEqual({
      runners: ["cargo test"],
      tests: {},
      cut: null,
    });
  });
});
