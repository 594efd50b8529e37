import { requirements } from "./python-setup.ts";

/** The files of a tree's top folder that tell how it is set up and tested. */
export interface TopFolder {
  has(name: string): boolean;
  text(name: string): string | undefined;
}

/** The command that runs a project's own tests; undefined where nothing tells. */
export function detectTests(top: TopFolder): string | undefined {
  const script = testScript(top.text("package.json"));
  if (script !== undefined) return script;
  if (usesPytest(top)) return "python -m pytest --tb=short -q";
  if (top.has("Cargo.toml")) return "cargo test";
  if (top.has("go.mod")) return "go test ./...";
  return /^test\s*:/m.test(top.text("Makefile") ?? "") ? "make test" : undefined;
}

/** Where Python projects say what they test with. */
const pythonFiles = [
  ...["pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "noxfile.py", "Pipfile"],
  ...requirements,
];

/** By pytest's own files, or because a file of the project names it: `pytest`, or `py.test` as it once was called. */
function usesPytest(top: TopFolder): boolean {
  if (top.has("pytest.ini") || top.has("conftest.py")) return true;
  return pythonFiles.some((name) => /\bpy\.?test\b/.test(top.text(name) ?? ""));
}

/** What `npm init` writes is no test. */
function testScript(manifest: string | undefined): string | undefined {
  if (manifest === undefined) return undefined;
  try {
    const { scripts } = JSON.parse(manifest) as { scripts?: { test?: unknown } };
    const test = scripts?.test;
    return typeof test === "string" && test.trim() !== "" && !test.includes("no test specified")
      ? "npm test"
      : undefined;
  } catch {
    return undefined; // a package.json that does not parse fails the syntax check
  }
}
