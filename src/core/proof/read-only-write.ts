const refused = /\bEROFS\b|\bread-?only ?file ?system\b/i;
const place = "['\"‘]?((?:/|~/)[^\\s:'\"’)]+)";
const places: readonly RegExp[] = [
  new RegExp(`\\bEROFS\\b[^\\n]*?${place}`),
  new RegExp(`${place}['"’]?:? \\(?read-?only ?file ?system`, "i"),
  new RegExp(`read-?only ?file ?system[^\\n]*?${place}`, "i"),
];

/** What a failed command could not write because it is read-only; `place` is null if its output does not name it. */
export function readOnlyWrite(output: string): { readonly place: string | null } | undefined {
  if (!refused.test(output)) return undefined;
  const named = places.map((one) => one.exec(output)?.[1]).find((found) => found !== undefined);
  return { place: named ?? null };
}
