import { field } from "../values/fields.ts";
import { requirements } from "./python-setup.ts";

/** The files in a tree's top folder that show how it is set up and tested. */
export interface TopFolder {
  has(name: string): boolean;
  text(name: string): string | undefined;
}

/** The command that runs a project's own tests; undefined if unknown. */
export function detectTests(top: TopFolder): string | undefined {
  const script = testScript(top.text("package.json"));
  if (script !== undefined) return script;
  if (usesPytest(top)) return "python -m pytest --tb=short -q";
  if (top.has("Cargo.toml")) return "cargo test";
  if (top.has("go.mod")) return "go test ./...";
  return /^test\s*:/m.test(top.text("Makefile") ?? "") ? "make test" : undefined;
}

/** Files in which Python projects name their test runner. */
const pythonFiles = [
  ...["pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "noxfile.py", "Pipfile"],
  ...requirements,
];

/** True if pytest's own files exist or a project file names `pytest` (formerly `py.test`). */
function usesPytest(top: TopFolder): boolean {
  if (top.has("pytest.ini") || top.has("conftest.py")) return true;
  return pythonFiles.some((name) => /\bpy\.?test\b/.test(top.text(name) ?? ""));
}

/** Why `detectTests` finds no command. */
export function whyNoTests(top: TopFolder): string {
  const manifest = readManifest(top.text("package.json"));
  if ("error" in manifest) return `package.json cannot be parsed: ${manifest.error}`;
  return isPlaceholder(manifest.test)
    ? "the test script in package.json is npm's placeholder (`no test specified`)"
    : "no test command was found: no test script, pytest, cargo, go, or `test` in a Makefile";
}

function testScript(text: string | undefined): string | undefined {
  const manifest = readManifest(text);
  if ("error" in manifest) return undefined; // it fails the syntax check
  const { test } = manifest;
  return typeof test === "string" && test.trim() !== "" && !isPlaceholder(test) ? "npm test" : undefined;
}

/** True for the script that `npm init` writes. */
function isPlaceholder(test: unknown): boolean {
  return typeof test === "string" && test.includes("no test specified");
}

function readManifest(text: string | undefined): { readonly test: unknown } | { readonly error: string } {
  if (text === undefined) return { test: undefined };
  try {
    return { test: field(field(JSON.parse(text), "scripts"), "test") };
  } catch (error) {
    return { error: (error as SyntaxError).message };
  }
}
