/** The files of a tree's top folder that tell how it is set up and tested. */
export interface TopFolder {
  has(name: string): boolean;
  text(name: string): string | undefined;
}

interface LockFile {
  readonly name: string;
  readonly command: readonly string[];
  readonly language: "node" | "python" | "ruby" | "php" | "rust" | "go";
}

const npm = ["npm", "ci", "--no-audit", "--no-fund"];
const lockFiles: readonly LockFile[] = [
  { name: "package-lock.json", command: npm, language: "node" },
  { name: "npm-shrinkwrap.json", command: npm, language: "node" },
  { name: "pnpm-lock.yaml", command: ["pnpm", "install", "--frozen-lockfile"], language: "node" },
  { name: "yarn.lock", command: ["yarn", "install", "--immutable"], language: "node" },
  { name: "bun.lock", command: ["bun", "install", "--frozen-lockfile"], language: "node" },
  { name: "uv.lock", command: ["uv", "sync", "--frozen"], language: "python" },
  { name: "poetry.lock", command: ["poetry", "install", "--no-interaction"], language: "python" },
  { name: "Gemfile.lock", command: ["bundle", "install"], language: "ruby" },
  { name: "composer.lock", command: ["composer", "install", "--no-interaction"], language: "php" },
  { name: "Cargo.lock", command: ["cargo", "fetch"], language: "rust" },
  { name: "go.sum", command: ["go", "mod", "download"], language: "go" },
];

export interface Setup {
  readonly commands: readonly (readonly string[])[];
  readonly languages: readonly LockFile["language"][];
}

/** By lock files; a tree without any needs none. */
export function detectSetup(top: Pick<TopFolder, "has">): Setup {
  const found = lockFiles.filter(({ name }) => top.has(name));
  // Two managers of the same language would undo each other: the first one counts.
  const used = found.filter((one) => found.find(({ language }) => language === one.language) === one);
  return {
    commands: used.map(({ command }) => command),
    languages: used.map(({ language }) => language),
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
