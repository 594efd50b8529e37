/**
 * The meaning of scopes in the simplest form: a small tree of paths, and for every scope entry the paths that it
 * covers. It uses none of the engine's path code.
 */
const taskIds = ["T-1", "T-2", "T-3", "T-4", "T-5", "T-6", "T-7", "T-8"] as const;
const sessionKeys = ["2026-02-14_shop/S-1", "2026-02-14_shop/S-2"] as const;
export const allKeys: readonly string[] = [...taskIds, ...sessionKeys];

/** `alias` is a link to it. */
export const linkTarget = "src/a";

const files = [
  "README.md",
  "src/main.ts",
  "src/main.md",
  "src/a/x.ts",
  "src/a/deep/y.ts",
  "src/a/z.md",
  "src/b/x.ts",
  "lib/x.ts",
  "lib/y.ts",
  "lib/z.md",
  "docs/guide.md",
  "docs/deep/more.md",
  "docs/.hidden.md",
  "test/a.test.ts",
  "test/b.test.ts",
  "app/1/m.ts",
  "app/2/m.ts",
  "app/3/m.ts",
  "alias/x.ts",
  ...allKeys.map((key) => `worklogs/${idOf(key)}.md`),
];
const universe = [...new Set(files.flatMap((file) => [...foldersOf(file), file]))];

export const narrowScopes: readonly string[] = [
  "app/1",
  "app/2",
  "app/3",
  "src/a",
  "src/b",
  "src/a/x.ts",
  "src/main.ts",
  "lib",
  "lib/x.ts",
  "docs",
  "test/a.test.ts",
  "test",
  "alias/x.ts",
];
export const wideScopes: readonly string[] = [
  "src",
  "src/**",
  "src/*.ts",
  "src/**/*.ts",
  "lib/{x,y}.ts",
  "lib/*.md",
  "docs/*.md",
  "**/*.md",
  "app/*",
  "app/?/m.ts",
  "alias",
  "alias/**",
  "test/*.test.ts",
];
/** Other spellings of some entries above, or of `src/a`. */
export const oddSpellings: readonly string[] = ["./src//a/", "src/b/../a", "app\\1", "lib/./x.ts", "docs/"];

const known = new Map<string, ReadonlySet<string>>();

/** The paths of the small tree that an entry covers. */
export function pathsUnder(entry: string): ReadonlySet<string> {
  let paths = known.get(entry);
  if (paths === undefined) {
    const spelled = plain(entry);
    const texts = [spelled, spelled.replace(/^alias(?=\/|$)/, linkTarget)];
    paths = new Set(universe.filter((path) => texts.some((text) => covers(text, path))));
    known.set(entry, paths);
  }
  return paths;
}

function idOf(key: string): string {
  return key.split("/").at(-1) as string;
}

export function worklogOf(key: string): string {
  return `worklogs/${idOf(key)}.md`;
}

function plain(entry: string): string {
  const kept: string[] = [];
  for (const name of entry.replaceAll("\\", "/").split("/"))
    if (name === "..") kept.pop();
    else if (name !== "" && name !== ".") kept.push(name);
  return kept.join("/");
}

function covers(text: string, path: string): boolean {
  if (text === "") return true;
  if (!/[*?{]/.test(text)) return path === text || path.startsWith(`${text}/`);
  const source = text
    .replace(/[.[\]()+^$|]/g, "\\$&")
    .replaceAll("?", "[^/]")
    .replace(/\{([^}]*)\}/g, (_, choices: string) => `(?:${choices.replaceAll(",", "|")})`)
    .replace(/\/\*\*$/, "/<below>")
    .replaceAll("**/", "<any>")
    .replaceAll("*", "[^/]*")
    .replace("<below>", ".+")
    .replaceAll("<any>", "(?:.*/)?");
  return new RegExp(`^${source}$`).test(path);
}

function foldersOf(file: string): string[] {
  const names = file.split("/");
  return names.slice(1).map((_, depth) => names.slice(0, depth + 1).join("/"));
}
