import { expect, it } from "vitest";
import { unprovenClaims } from "./unproven-claims.ts";

it.each<[string, string[], string[]]>([
  ["what was changed", ["src/a.ts"], []],
  ["other spellings of it", ["./src/a.ts", "src//a.ts", "/checkout/tree/src/a.ts"], []],
  ["a folder with something changed in it", ["src", "src/"], []],
  ["what was not changed", ["src/a.ts", "src/b.ts"], ["src/b.ts"]],
  ["what only begins like it", ["src/a", "sr"], ["src/a", "sr"]],
  ["a file elsewhere", ["/etc/passwd"], ["/etc/passwd"]],
  ["the same twice", ["b", "b"], ["b"]],
  ["the session's own files", [".agents-work/s/worklogs/A.md"], []],
  ["nothing", ["", "."], []],
])("an answer that names %s", (_, claimed, unproven) => {
  const work = { changed: ["src/a.ts"], folders: ["/checkout/tree"] };
  expect(unprovenClaims(claimed, work)).toEqual(unproven);
});
