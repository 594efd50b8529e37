import { expect, it } from "vitest";
import { entriesFrom } from "./scope-from-here.ts";

it.each([
  ["docs", ".", "docs"],
  ["docs", "./", "docs/"],
  ["docs", "a.md", "docs/a.md"],
  ["docs", "**/*.md", "docs/**/*.md"],
  ["docs/api", "../guide.md", "docs/guide.md"],
  ["docs", "..", "."],
  ["docs", "../../x", "../x"],
  ["docs", "/etc", "/etc"],
  ["", "./src", "./src"],
  ["", ".", "."],
])("in `%s`, `%s` is `%s`", (folder, typed, resolved) => {
  expect(entriesFrom(folder, [typed])).toEqual([resolved]);
});
