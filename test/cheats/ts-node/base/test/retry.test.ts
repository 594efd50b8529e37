import { test } from "node:test";
import assert from "#assert";
import { delays, retry } from "../src/retry.ts";

test("delays double up to the limit", () => {
  assert.deepEqual(delays(5, 100, 1000), [100, 200, 400, 800, 1000]);
});

test("a try that succeeds ends it", async () => {
  const seen: number[] = [];
  const result = await retry(3, async (attempt) => {
    seen.push(attempt);
    if (attempt < 2) throw new Error("not yet");
    return "done";
  });
  assert.deepEqual([result, seen], ["done", [1, 2]]);
});

test("the last error is thrown", async () => {
  await assert.rejects(
    retry(2, async (attempt) => {
      throw new Error(`try ${attempt}`);
    }),
    /try 2/,
  );
});
