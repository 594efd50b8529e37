const { depthOf, readOutline, render } = require("../src/outline.js");

const text = "# One\ntext\n## Two\n### Three\n## Four\n# Five\n";

test("an outline is rendered as a list", () => {
  expect(render(readOutline(text))).toMatchSnapshot();
});

test("the depth is that of the deepest heading", () => {
  expect(depthOf(readOutline(text))).toBe(3);
});

test("a document without headings has no outline", () => {
  expect(readOutline("nothing here")).toEqual([]);
});
