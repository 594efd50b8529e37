import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { discounted, format, withTax } from "../src/price.js";

describe("a discount", () => {
  test("is taken off", () => {
    assert.equal(discounted(1000, 25), 750);
  });

  test("is rounded to the nearest cent", () => {
    assert.equal(discounted(335, 15), 285);
    assert.equal(discounted(99, 50), 50);
  });

  test("is between nothing and everything", () => {
    assert.throws(() => discounted(100, 101), RangeError);
    assert.throws(() => discounted(100, -1), RangeError);
  });
});

describe("a price", () => {
  test("with tax", () => {
    assert.equal(withTax(1000, 20), 1200);
  });

  test("is printed with two digits", () => {
    assert.equal(format(5), "0.05");
    assert.equal(format(123456), "1234.56");
  });

  test("below zero has its sign in front", () => {
    assert.equal(format(-5), "-0.05");
  });
});
