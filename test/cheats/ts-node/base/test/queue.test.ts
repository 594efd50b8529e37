import { test } from "node:test";
import assert from "#assert";
import { Queue } from "#queue";
import { ids, job } from "./support/jobs.ts";

test("the most urgent job comes first", () => {
  const queue = new Queue();
  for (const one of [job("a"), job("b", 5), job("c", 1)]) queue.add(one);
  assert.deepEqual(ids([queue.take(), queue.take(), queue.take(), queue.take()]), ["b", "c", "a", "none"]);
});

test("jobs of the same priority keep their order", () => {
  const queue = new Queue();
  for (const one of [job("a", 1), job("b", 1), job("c", 1)]) queue.add(one);
  assert.deepEqual(ids([queue.take(), queue.take(), queue.take()]), ["a", "b", "c"]);
});

test("a job is added once", () => {
  const queue = new Queue();
  assert.equal(queue.add(job("a")), true);
  assert.equal(queue.add(job("a", 9)), false);
  assert.equal(queue.size, 1);
});
