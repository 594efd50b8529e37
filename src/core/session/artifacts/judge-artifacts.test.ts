import { describe, expect, it } from "vitest";
import { cpuMsSince } from "../../../../test/support/cpu-time.ts";
import { judgeArchitecture, judgeSpec } from "./judge-artifacts.ts";

const whole = `# Shop

## Goals
Round prices.

## Acceptance Criteria
- AC-1

## Definition of Done
All tests pass.
`;

const missing = (name: string) =>
  `spec.md: section \`${name}\` is missing: add a heading \`## ${name}\` with text below it`;
const empty = (name: string) => `spec.md: section \`${name}\` is empty: add text below its heading`;

describe("spec.md", () => {
  it.each<[string, string]>([
    ["as it should be", whole],
    ["with headings in other cases and sizes", whole.replace("## Goals", "#### GOALS")],
    ["with more in a heading", whole.replace("## Definition of Done", "## Definition of done (DoD) ##")],
    ["with numbers and signs before", whole.replace("## Goals", "## 1.2) **Goals** and non-goals")],
    ["with underlined headings", whole.replace("## Goals", "Goals\n-----").replace("# Shop", "Shop\n===")],
    ["with windows' line ends", whole.replaceAll("\n", "\r\n")],
    ["with the text below a smaller heading", whole.replace("Round prices.", "### First\n\nRound prices.")],
    ["with nothing but code in a section", whole.replace("Round prices.", "```js\nround(1.5)\n```")],
    ["with a second, filled section", `## Goals\n\n${whole}`],
  ])("passes %s", (_, text) => {
    expect(judgeSpec(text)).toEqual([]);
  });

  it.each<[string, string, readonly string[]]>([
    ["no text", "", ["Goals", "Acceptance Criteria", "Definition of Done"].map(missing)],
    ["a section that is called otherwise", whole.replace("## Goals", "## Non-goals"), [missing("Goals")]],
    ["a longer word", whole.replace("## Goals", "## Goalsetting"), [missing("Goals")]],
    ["no blank after the sign", whole.replace("## Goals", "##Goals"), [missing("Goals")]],
    ["a heading inside code", whole.replace("## Goals", "```md\n## Goals\n```"), [missing("Goals")]],
    [
      "a heading inside longer code",
      whole.replace("## Goals", "````\n```\n## Goals\n````"),
      [missing("Goals")],
    ],
    ["a heading inside a comment", whole.replace("## Goals", "<!-- \n## Goals\n-->"), [missing("Goals")]],
    ["nothing in a section", whole.replace("Round prices.", ""), [empty("Goals")]],
    ["only a comment", whole.replace("Round prices.", "<!-- what is wanted -->"), [empty("Goals")]],
    ["only marks", whole.replace("Round prices.", "- \n\n---\n"), [empty("Goals")]],
    ["only smaller headings", whole.replace("Round prices.", "### First\n### Second"), [empty("Goals")]],
    ["nothing in the last section", whole.replace("All tests pass.", ""), [empty("Definition of Done")]],
  ])("fails with %s and names the section", (_, text, faults) => {
    expect(judgeSpec(text)).toEqual(faults);
  });

  it("is read in linear time", () => {
    for (const piece of ["<!--", "# Goals\n", "- ", "```\n", "#"]) {
      const started = process.cpuUsage();
      judgeSpec(piece.repeat(200_000));
      expect(cpuMsSince(started), piece).toBeLessThan(5000);
    }
  });
});

describe("architecture.md", () => {
  it.each(["Modules", "Components", "Modules/components", "modules and their borders"])(
    "may use the heading %s for its parts",
    (title) => {
      expect(judgeArchitecture(`## Overview\nOne module.\n## ${title}\n- round\n`)).toEqual([]);
    },
  );

  it("needs an overview and a list of parts", () => {
    expect(judgeArchitecture("## Overview\n\n## Data\nx\n")).toEqual([
      "architecture.md: section `Overview` is empty: add text below its heading",
      "architecture.md: section `Modules/components` is missing: add a heading `## Modules/components` with text below it",
    ]);
  });
});
