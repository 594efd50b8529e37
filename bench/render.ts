import { format, type Section } from "./section.ts";

/** A section as an aligned table; the goals are in the last column. */
export function renderSection({ title, columns, rows }: Section): string {
  const head = ["", ...columns.map((column) => column.key), "goal"];
  const body = rows.map((row) => [
    row.name,
    ...columns.map(({ key, unit }) => {
      const value = row.values[key];
      return value === undefined ? "" : format(value, unit);
    }),
    (row.goals ?? []).map((goal) => `${goal.text} ${goal.met ? "✓ met" : "✗ MISSED"}`).join(", "),
  ]);
  const widths = head.map((_, at) =>
    Math.max(...[head, ...body].map((cells) => [...(cells[at] ?? "")].length)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => {
        const gap = " ".repeat((widths[at] ?? 0) - [...cell].length);
        return at === 0 || at === cells.length - 1 ? cell + gap : gap + cell;
      })
      .join("  ")
      .trimEnd();
  const rule = widths.map((width) => "─".repeat(width)).join("  ");
  return [title, line(head), rule, ...body.map(line), ""].join("\n");
}

export function renderSummary(sections: readonly Section[]): string {
  const goals = sections.flatMap(({ rows }) =>
    rows.flatMap((row) => (row.goals ?? []).map((goal) => ({ ...goal, name: row.name }))),
  );
  const missed = goals.filter((goal) => !goal.met);
  const lines = missed.map(({ name, text }) => `  missed: ${name} (${text})`);
  return [`${goals.length - missed.length} of ${goals.length} goals met`, ...lines, ""].join("\n");
}
