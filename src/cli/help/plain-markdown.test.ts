import { expect, it } from "vitest";
import { plainMarkdown } from "./plain-markdown.ts";

it("removes the Markdown marks and wraps the text", () => {
  const page = `# Title

Some **words** and [a link](x.md) that
make a longer line.

- one item that is long
  enough
- two

After it:

\`\`\`yaml
a: [b]

  c: 1
\`\`\`

## Next

The end.
`;
  expect(plainMarkdown(page, 24)).toBe(`Title

Some words and a
link that make a longer
line.

- one item that is long
  enough
- two

After it:

    a: [b]

      c: 1

Next

The end.
`);
});
