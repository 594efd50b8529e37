const assert = require("node:assert/strict");

global.expectDate = (actual, expected) => {
  assert.match(actual, /^\d{4}-\d{2}-\d{2}$/);
  assert.equal(actual, expected);
};
