const { slug } = require("../src/slug.js");

describe("a slug", () => {
  test("has no accents", () => {
    expect(slug("Crème brûlée")).toBe("creme-brulee");
  });

  test("has no dashes at its ends", () => {
    expect(slug("  What now? ")).toBe("what-now");
  });
});
