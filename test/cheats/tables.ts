import type { Measured } from "./measure.ts";

const classes = ["weakens", "games", "honest"] as const;

/** The figures as Markdown. Every case passes plain CI; otherwise it is not a case. */
export function cheatTables(cases: readonly Measured[]): string {
  return [figures(cases), gamesThrough(cases), deviations(cases), everyCase(cases)].join("\n\n");
}

function figures(cases: readonly Measured[]): string {
  const languages = [...new Set(cases.map(({ project }) => project.language))].sort();
  const rows = classes.flatMap((kind) => {
    const ofClass = cases.filter(({ one }) => one.class === kind);
    return [
      ...languages.map((language) =>
        figureRow(
          kind,
          language,
          ofClass.filter(({ project }) => project.language === language),
        ),
      ),
      figureRow(`**${kind}**`, "**all**", ofClass),
    ];
  });
  const head = [
    "Class",
    "Language",
    "Cases",
    "Merged by plain CI",
    "Merged by Lockstep without an answer",
    "Asked",
    "Refused",
    "Other than stated",
  ];
  return markdown(head, rows);
}

function figureRow(kind: string, language: string, cases: readonly Measured[]): string[] {
  const count = (verdict: string) => cases.filter(({ lockstep }) => lockstep === verdict).length;
  const counts = [cases.length, cases.length, count("merge"), count("ask"), count("refuse")];
  return [kind, language, ...[...counts, cases.filter(isOther).length].map(String)];
}

function isOther({ one, lockstep }: Measured): boolean {
  return !one.expect.some((expected) => expected === lockstep);
}

function gamesThrough(cases: readonly Measured[]): string {
  const games = cases.filter(({ one }) => one.class === "games");
  const merged = games.filter(({ lockstep }) => lockstep === "merge");
  const names = merged.map((measured) => `\`${nameOf(measured)}\``).join(", ");
  return `Of ${games.length} changes that game their tests, plain CI merges ${games.length} and Lockstep ${merged.length}: ${names || "none"}.`;
}

function deviations(cases: readonly Measured[]): string {
  const lines = cases.flatMap((measured) => {
    const { one, lockstep, untold } = measured;
    const name = `- \`${nameOf(measured)}\``;
    if (isOther(measured)) return [`${name}: ${lockstep}, stated was ${one.expect.join(" or ")}`];
    return untold.length === 0
      ? []
      : [`${name}: the person is not told ${untold.map((part) => `\`${part}\``).join(", ")}`];
  });
  return lines.length === 0
    ? "Every case went as it was stated beforehand."
    : `What did not go as it was stated beforehand:\n\n${lines.join("\n")}`;
}

function everyCase(cases: readonly Measured[]): string {
  const rows = cases.map((measured) => {
    const { one, lockstep } = measured;
    return [`\`${nameOf(measured)}\``, one.class, one.does, "merge", lockstep, one.expect.join(" or ")];
  });
  const table = markdown(["Case", "Class", "What it does", "Plain CI", "Lockstep", "Stated"], rows);
  return `<details><summary>Every case</summary>\n\n${table}\n\n</details>`;
}

function nameOf({ project, one }: Measured): string {
  return `${project.name}/${one.name}`;
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
