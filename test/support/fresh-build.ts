import { chmodSync, mkdtempSync, readdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The inputs of a build, and the file that a build replaces last. */
const sources = ["src", "bin", "scripts/build.ts", "package.json"];
const root = join(import.meta.dirname, "../..");

/** Tests of the command line run `dist`: an old one would contain code that no longer exists. */
export async function setup(): Promise<() => Promise<void>> {
  // The first test that needs a database server starts it there.
  const folder = mkdtempSync(join(tmpdir(), "lockstep-server-"));
  chmodSync(folder, 0o711);
  process.env.LOCKSTEP_TEST_SERVER = folder;
  await build();
  return async () => (await import("./postgres-server.ts")).stopSharedServer(folder);
}

async function build(): Promise<void> {
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
