import { below, type TreeFiles } from "./tree-files.ts";

/** In the order in which tools look for them. */
const endings = [
  ".ts",
  ".tsx",
  ".mts",
  ".cts",
  ".d.ts",
  ".js",
  ".jsx",
  ".mjs",
  ".cjs",
  ".json",
  ".vue",
  ".svelte",
  ".astro",
  ".node",
  ".d.mts",
  ".d.cts",
  ...["native", "ios", "android", "web"].flatMap((platform) =>
    ["ts", "tsx", "js", "jsx"].map((ending) => `.${platform}.${ending}`),
  ),
];

/** What a name that TypeScript will have written may be written as now. */
const sources: Readonly<Record<string, readonly string[]>> = {
  ".js": [".ts", ".tsx", ".d.ts", ".jsx"],
  ".jsx": [".tsx", ".d.ts"],
  ".mjs": [".mts", ".d.mts"],
  ".cjs": [".cts", ".d.cts"],
};

/** The file that a module's path means, given with or without its ending, or as a folder with an index. */
export function moduleFile(path: string, files: TreeFiles, asFolder = false): string | undefined {
  if (!asFolder) {
    if (files.hasFile(path)) return path;
    const [, stem = "", ending = ""] = /^(.*)(\.[cm]?jsx?)$/.exec(path) ?? [];
    const found = withEnding(stem, sources[ending] ?? [], files) ?? withEnding(path, endings, files);
    if (found !== undefined) return found;
  }
  return withEnding(below(path, "index"), endings, files);
}

function withEnding(stem: string, tried: readonly string[], files: TreeFiles): string | undefined {
  if (!files.hasStem(stem)) return undefined;
  return tried.map((ending) => stem + ending).find((file) => files.hasFile(file));
}
