/** The files of a tree's top folder that tell how it is set up and tested. */
export interface TopFolder {
  has(name: string): boolean;
  text(name: string): string | undefined;
}

export interface Setup {
  readonly commands: readonly (readonly string[])[];
  /** What the set-up is made from: as long as these are the same, so is its result. */
  readonly inputs: readonly string[];
}

interface LockFile {
  readonly name: string;
  readonly command: readonly string[];
  readonly inputs: readonly string[];
}

const node = ["package.json"];
const lockFiles: readonly LockFile[] = [
  { name: "package-lock.json", command: ["npm", "ci", "--no-audit", "--no-fund"], inputs: node },
  { name: "npm-shrinkwrap.json", command: ["npm", "ci", "--no-audit", "--no-fund"], inputs: node },
  {
    name: "pnpm-lock.yaml",
    command: ["pnpm", "install", "--frozen-lockfile"],
    inputs: [...node, "pnpm-workspace.yaml"],
  },
  { name: "yarn.lock", command: ["yarn", "install", "--immutable"], inputs: node },
  { name: "bun.lock", command: ["bun", "install", "--frozen-lockfile"], inputs: node },
  { name: "uv.lock", command: ["uv", "sync", "--frozen"], inputs: ["pyproject.toml"] },
  { name: "poetry.lock", command: ["poetry", "install", "--no-interaction"], inputs: ["pyproject.toml"] },
  { name: "Gemfile.lock", command: ["bundle", "install"], inputs: ["Gemfile"] },
  { name: "composer.lock", command: ["composer", "install", "--no-interaction"], inputs: ["composer.json"] },
];

/** By lock files; a tree without any needs none. */
export function detectSetup(top: TopFolder): Setup {
  const found = lockFiles.filter(({ name }) => top.has(name));
  const [first, ...others] = found;
  if (first === undefined) return { commands: [], inputs: [] };
  // Two managers of the same language would undo each other: the first one counts.
  const more = others.filter(({ inputs }) => inputs[0] !== first.inputs[0]);
  const used = [first, ...more];
  return {
    commands: used.map(({ command }) => command),
    inputs: [...new Set(used.flatMap(({ name, inputs }) => [name, ...inputs]))],
  };
}

/** The command that runs a project's own tests; undefined where nothing tells. */
export function detectTests(top: TopFolder): string | undefined {
  const script = testScript(top.text("package.json"));
  if (script !== undefined) return script;
  if (top.has("pytest.ini") || (top.text("pyproject.toml") ?? "").includes("[tool.pytest"))
    return "python -m pytest --tb=short -q";
  if (top.has("Cargo.toml")) return "cargo test";
  if (top.has("go.mod")) return "go test ./...";
  return /^test\s*:/m.test(top.text("Makefile") ?? "") ? "make test" : undefined;
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
