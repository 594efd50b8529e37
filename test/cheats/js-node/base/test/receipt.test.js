import assert from "node:assert/strict";
import { test } from "node:test";
import { receipt } from "../src/receipt.js";
import { readFixture } from "./support/read-fixture.js";

test("a receipt lists what was bought", () => {
  const order = JSON.parse(readFixture("fixtures/order.json"));
  assert.equal(receipt(order), readFixture("golden/receipt.txt"));
});
