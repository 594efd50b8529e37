import { expect, it } from "vitest";
import { unprovenClaims, unprovenDeeds } from "./unproven-claims.ts";

it.each<[string, string[], string[]]>([
  ["what was changed", ["src/a.ts"], []],
  ["other spellings of it", ["./src/a.ts", "src//a.ts", "/checkout/tree/src/a.ts"], []],
  ["a folder with something changed in it", ["src", "src/"], []],
  ["what was not changed", ["src/a.ts", "src/b.ts"], ["src/b.ts"]],
  ["a word with the same beginning", ["src/a", "sr"], ["src/a", "sr"]],
  ["a file elsewhere", ["/etc/passwd"], ["/etc/passwd"]],
  ["the same twice", ["b", "b"], ["b"]],
  ["the session's own files", [".agents-work/s/worklogs/A.md"], []],
  ["nothing", ["", "."], []],
])("an answer claims %s", (_, claimed, unproven) => {
  const work = { changed: ["src/a.ts"], folders: ["/checkout/tree"] };
  expect(unprovenClaims(claimed, work)).toEqual(unproven);
});

it.each([
  "Deployed to production.",
  "I have deployed it to production",
  "we successfully published version 2 to npm",
  "Fixed the price, and then rolled out the change to all customers.",
  "The database was migrated.",
  "It has been pushed to origin",
  "Tests: pass; notified the team",
  "Deployed with no errors, after the tests could pass",
  "MIGRATED the production database",
])("an action outside the tree is found in: %s", (text) => {
  expect(unprovenDeeds([`Rounds prices. ${text}`, "a note"])).toEqual([text]);
});

it.each([
  "",
  "Rounds prices half-even",
  "Nothing was deployed.",
  "It has not been published",
  "wasn't deployed and won't be",
  "The change must be deployed by a person",
  "Once it was published, clients can use it",
  "Shows the published date and the released version",
  "Adds `deployed to production` as a status",
  "the flag says whether an item is published",
  "Redeployed-looking words such as undeployed",
  "Handles posts that are published later",
])("no action is found in: %s", (text) => {
  expect(unprovenDeeds([text])).toEqual([]);
});

it("a long list of actions is cut", () => {
  const found = unprovenDeeds([...Array(50).keys()].map((at) => `Deployed ${at} ${"x".repeat(500)}`));
  expect(found).toHaveLength(20);
  expect(found[0]).toHaveLength(200);
  expect(unprovenDeeds(["Deployed it.\nDeployed it."])).toEqual(["Deployed it."]);
});
