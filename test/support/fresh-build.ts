import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** What a build is made of, and the file that a build puts in its place last. */
const sources = ["src", "bin", "scripts/build.ts", "package.json"];
const root = join(import.meta.dirname, "../..");

/** Tests of the command line run `dist`: with an old one they would test code that is no longer there. */
export async function setup(): Promise<void> {
  if (builtMs() >= Math.max(...sources.map(changedMs))) return;
  await import("../../scripts/build.ts");
}

function builtMs(): number {
  return statSync(join(root, "dist/main.cjs"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function changedMs(path: string): number {
  const found = statSync(join(root, path));
  if (!found.isDirectory()) return found.mtimeMs;
  const below = readdirSync(join(root, path), { recursive: true, withFileTypes: true });
  const files = below.filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"));
  return Math.max(...files.map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs));
}
