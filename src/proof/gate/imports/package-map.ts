const targetsMax = 100;
const keysMax = 1000;

/** A map of `exports` or `imports` in a package.json. */
export type PackageMap = Readonly<Record<string, unknown>>;

/** `exports` may also be what its key `.` would lead to. */
export function asPackageMap(value: unknown): PackageMap | undefined {
  if (value === undefined || value === null) return undefined;
  const isMap = typeof value === "object" && !Array.isArray(value);
  return isMap && Object.keys(value).every((key) => key.startsWith("."))
    ? (value as PackageMap)
    : { ".": value };
}

/** Where a key leads under any condition; nothing where the map has no such key. */
export function targetsOf(map: PackageMap, key: string): readonly string[] | undefined {
  if (Object.hasOwn(map, key) && !key.includes("*")) return leaves(map[key]);
  let best: { readonly pattern: string; readonly middle: string } | undefined;
  for (const pattern of Object.keys(map).slice(0, keysMax)) {
    const middle = middleOf(pattern, key);
    if (middle !== undefined && pattern.indexOf("*") > (best?.pattern.indexOf("*") ?? -1))
      best = { pattern, middle };
  }
  if (best === undefined) return undefined;
  const { pattern, middle } = best;
  return leaves(map[pattern]).map((target) => target.replaceAll("*", () => middle));
}

/** What the `*` of a pattern stands for. */
export function middleOf(pattern: string, text: string): string | undefined {
  const star = pattern.indexOf("*");
  if (star < 0) return undefined;
  const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)];
  const fits = text.length >= pattern.length - 1 && text.startsWith(before) && text.endsWith(after);
  return fits ? text.slice(before.length, text.length - after.length) : undefined;
}

/** All texts in a tree of conditions and alternatives. */
function leaves(value: unknown): string[] {
  const found: string[] = [];
  const open = [value];
  while (open.length > 0 && found.length < targetsMax) {
    const one = open.pop();
    if (typeof one === "string") found.push(one);
    else if (typeof one === "object" && one !== null) open.push(...Object.values(one).toReversed());
  }
  return found;
}
