import assert from "node:assert/strict";
import { test } from "node:test";
import { lineTotal, meanPrice, orderTotal } from "../src/order.js";
import { assertClose } from "./support/approx.js";
import { readFixture } from "./support/read-fixture.js";

const order = JSON.parse(readFixture("fixtures/order.json"));

test("a line costs its price times its count, less the discount", () => {
  assert.equal(lineTotal(order.lines[0]), 570);
});

test("an order costs its lines and the tax", () => {
  assert.equal(orderTotal(order), 6684);
});

test("the mean price counts every piece", () => {
  assertClose(meanPrice(order), 945);
  assertClose(meanPrice({ lines: [{ price: 1, count: 1 }, { price: 2, count: 2 }] }), 5 / 3);
});
