const assert = require("node:assert/strict");
const { addDays, daysBetween, isLeapYear } = require("../src/days.js");

describe("days", () => {
  it("are added over the end of a month", () => {
    expectDate(addDays("2024-01-31", 1), "2024-02-01");
  });

  it("are counted between two dates", () => {
    assert.equal(daysBetween("2024-02-28", "2024-03-01"), 2);
  });
});

describe("a leap year", () => {
  it("comes every four years", () => {
    assert.equal(isLeapYear(2024), true);
    assert.equal(isLeapYear(2023), false);
  });

  it("does not come with a new century, but for every fourth", () => {
    assert.equal(isLeapYear(1900), false);
    assert.equal(isLeapYear(2000), true);
  });
});
