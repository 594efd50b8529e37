/** How wide each column has to be. */
export function widths(rows: readonly (readonly string[])[]): number[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length: count }, (_, at) => Math.max(...rows.map((row) => (row[at] ?? "").length)));
}

export function isNumeric(text: string): boolean {
  return /^-?\d+(?:\.\d+)?$/.test(text);
}
