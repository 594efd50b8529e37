const { slug } = require("./slug.js");

/** The headings of a document, each below the next higher one. */
function readOutline(text) {
  const top = { level: 0, title: "", children: [] };
  const open = [top];
  for (const line of text.split("\n")) {
    const [, marks, title] = /^(#{1,6}) +(.+)$/.exec(line) ?? [];
    if (marks === undefined) continue;
    while (open.at(-1).level >= marks.length) open.pop();
    const heading = { level: marks.length, title, id: slug(title), children: [] };
    open.at(-1).children.push(heading);
    open.push(heading);
  }
  return top.children;
}

function render(outline, depth = 0) {
  return outline
    .map(({ title, id, children }) => `${"  ".repeat(depth)}- [${title}](#${id})\n${render(children, depth + 1)}`)
    .join("");
}

function depthOf(outline) {
  return outline.length === 0 ? 0 : 1 + Math.max(...outline.map(({ children }) => depthOf(children)));
}

module.exports = { readOutline, render, depthOf };
