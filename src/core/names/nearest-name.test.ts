import { expect, it } from "vitest";
import { nearestName } from "./nearest-name.ts";

const names = ["goal", "agent", "lock_scope", "timeout_seconds"];

it.each([
  ["gaol", "goal"],
  ["agnet", "agent"],
  ["lock-scop", "lock_scope"],
  ["timeoutSecond", "timeout_seconds"],
  ["purpose", undefined],
])("%s most likely means %s", (word, meant) => {
  expect(nearestName(word, names)).toBe(meant);
});
