import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cpuMsSince } from "../../../test/support/cpu-time.ts";
import { errorFingerprint } from "./error-fingerprint.ts";

const of = (message: string) => errorFingerprint("test", message);

describe("two occurrences of one error", () => {
  it.each<[string, string, string]>([
    ["the time", "2026-01-02T03:04:05.678Z boom", "2027-11-12 13:14:15,9+02:00 boom"],
    ["the time in the basic form", "20260102T030405Z boom", "20271112T131415.123 boom"],
    ["the clock", "[03:04:05] boom", "[13:14:15.999] boom"],
    ["an address", "segfault at 0x7ffe12", "segfault at 0xDEADBEEF00"],
    ["an id", "job 123e4567-e89b-12d3-a456-426614174000", "job 00000000-E89B-12d3-a456-426614174fff"],
    ["line and column", "src/a.ts:12:5: no `x`", "src/a.ts:130:44: no `x`"],
    ["the line", "src/a.py:12: no `x`", "src/a.py:1300: no `x`"],
    ["line and column in brackets", "src/a.ts(12,5): error TS2322", "src/a.ts(130, 44): error TS2322"],
    ["line and column before the error", "  12:5  error  no-undef", " 130:44  error  no-undef"],
    ["line and column without a file", "at <anonymous>:3:7", "at <anonymous>:30:70"],
    ["the line in words", 'File "a.py", line 12, in f', 'File "a.py", line 130, in f'],
    ["the line of a Makefile", "Makefile:3: *** stop", "Makefile:31: *** stop"],
    ["a temporary file", "no such file: /tmp/x-1f2/a.txt", "no such file: /tmp/y/b/c.log"],
    ["a temporary file of a Mac", "bad '/private/var/folders/z/q/T/a'", "bad '/private/var/folders/x/T/b'"],
    [
      "a temporary file of Windows",
      "C:\\Users\\me\\AppData\\Local\\Temp\\a1",
      "C:\\Users\\me\\AppData\\Local\\Temp\\b",
    ],
    ["the folder for temporary files", "C:\\Temp\\a1 is bad", "C:\\Temp\\b2 is bad"],
    ["a short time", "timed out after 12ms", "timed out after 4998 ms"],
    ["a broken duration", "took 3.4 s", "took 10.25 s"],
    ["minutes and seconds", "took 1m30s", "took 12m 4.5s"],
    ["a count of tests", "3 tests failed", "14 tests failed"],
    ["a count with commas", "1,204 errors", "7 errors"],
    ["one of many", "test 3 of 5 failed", "test 4 of 6 failed"],
    ["a progress", "[3/10] boom", "[7/10] boom"],
    ["a percentage", "at 45% of the way", "at 7.5% of the way"],
    ["the attempt", "attempt 2: refused", "attempt 13: refused"],
    ["the process", "(node:1234) Warning", "(node:99) Warning"],
    ["a number with a mark", "issue #12 again", "issue #1300 again"],
    ["seconds since 1970", "at 1767225600", "at 1767225600123"],
    ["the white space", "a  b\n\tc", " a b c\n"],
  ])("may differ in %s", (_, one, other) => expect(of(one)).toBe(of(other)));
});

describe("two errors", () => {
  it.each<[string, string, string]>([
    ["letters", "no `x`", "no `y`"],
    ["case", "Missing a", "missing a"],
    ["files", "src/a.ts:1:1: bad", "src/b.ts:1:1: bad"],
    ["codes inside words", "error TS2322", "error TS2345"],
    ["values", "expected 3 to be 4", "expected 5 to be 4"],
    ["exit codes", "ended with code 1", "ended with code 137"],
    ["status codes", "HTTP 404", "HTTP 500"],
    ["ports", "localhost:3000 refused", "localhost:3001 refused"],
    ["versions", "needs node 22.1.0", "needs node 22.1.1"],
    ["paths of a folder called tmp", "/home/me/tmp/a is bad", "/home/me/tmp/b is bad"],
    ["relative paths called tmp", "./tmp/a is bad", "./tmp/b is bad"],
    ["what follows a temporary path", "/tmp/a: not found", "/tmp/a: not a folder"],
    ["the text to be removed", "took 3 s", "took"],
  ])("differ by their %s", (_, one, other) => expect(of(one)).not.toBe(of(other)));

  it("differ by their type", () => {
    expect(errorFingerprint("compile", "x")).not.toBe(errorFingerprint("test", "x"));
  });
});

describe("a fingerprint", () => {
  const digits = fc.integer({ min: 0, max: 9_999_999 }).map(String);
  const two = fc.integer({ min: 10, max: 59 }).map(String);
  const word = fc.stringMatching(/^[a-z]{1,8}$/);
  const passing: readonly fc.Arbitrary<string>[] = [
    fc
      .date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true })
      .map((date) => date.toISOString()),
    fc.uuid(),
    fc.integer({ min: 0 }).map((address) => `0x${address.toString(16)}`),
    fc.tuple(digits, digits).map(([line, column]) => `a.ts:${line}:${column}`),
    fc.tuple(word, word).map(([folder, file]) => `/tmp/${folder}/${file}.txt`),
    fc.tuple(digits, fc.constantFrom("ms", " s", "s", " seconds")).map((parts) => parts.join("")),
    fc.tuple(two, two, two).map((parts) => parts.join(":")),
    digits.map((count) => `${count} tests`),
    digits.map((count) => `attempt ${count}`),
  ];
  /** Two occurrences of one message: the same words around variable parts of the same kinds. */
  const sightings = fc
    .array(fc.tuple(word, fc.oneof(...passing.map((part) => fc.tuple(part, part)))), {
      minLength: 1,
      maxLength: 6,
    })
    .map((parts) => [0, 1].map((at) => parts.map(([before, pair]) => `${before} (${pair[at]})`).join(" ")));

  it("ignores all variable parts", () => {
    fc.assert(fc.property(sightings, ([one = "", other = ""]) => of(one) === of(other)));
  });

  it("is sixteen hexadecimal digits for any text", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => /^[\da-f]{16}$/.test(of(text))));
  });

  const bytes = 64 * 1024;
  it.each([
    "1",
    "0",
    " ",
    "a",
    ":",
    "/",
    "#",
    ".",
    "-",
    "1:",
    "12:34:",
    "1.",
    "1,",
    "1,234",
    "0x",
    "0xa",
    "f-",
    "/tmp",
    "/tmp/",
    "/tmp/a ",
    "1 of ",
    "attempt ",
    "attempt 1",
    "2026-01-",
    "2026-01-02T",
    "deadbeef-",
    "\\temp\\",
    "C:\\",
    "a.ts(",
    "a.ts:1",
    "1m",
    "1 m",
    "%",
    "1%",
    "1/",
    "node:",
    "file:",
    "\n",
    "\u00e9",
    "\ud800",
    "00000000-0000-",
  ])("of 64 KiB of %j is computed quickly", (unit) => {
    const message = unit.repeat(Math.ceil(bytes / unit.length));
    const start = process.cpuUsage();
    of(message);
    of(`${message}!`);
    expect(cpuMsSince(start)).toBeLessThan(1000);
  });
});
