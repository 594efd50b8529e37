const assert = require("node:assert/strict");
const { mondayOf, weekOf } = require("../src/week.js");

describe("a week", () => {
  it("begins on Monday", () => {
    expectDate(mondayOf("2024-05-08"), "2024-05-06");
    expectDate(mondayOf("2024-05-12"), "2024-05-06");
  });

  it("has seven days", async () => {
    const days = await weekOf("2024-02-29");
    assert.deepEqual([days.length, days[0], days[6]], [7, "2024-02-26", "2024-03-03"]);
  });
});
