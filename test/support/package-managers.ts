import { execFileSync } from "node:child_process";

/** A person's configuration of a package manager, and a project of one file that needs the package `tiny`. */
export interface PackageManager {
  readonly name: string;
  /** Settings in the home, for the registry's address. */
  settings(url: string): Readonly<Record<string, string>>;
  readonly project: Readonly<Record<string, string>>;
  /** Installs or builds, and prints `tiny` from the result. */
  readonly command: string;
  /** Its output that git ignores. */
  readonly output: readonly string[];
  /** The person's own caches that it writes. */
  readonly caches: readonly string[];
}

const npmSettings = (url: string) => ({ ".npmrc": `registry=${url}/npm/\n` });
const npmProject = {
  "package.json": '{ "name": "p", "version": "1.0.0", "dependencies": { "tiny": "1.0.0" } }\n',
  "p.js": 'console.log(require("tiny"));\n',
};
const ofNpm = { settings: npmSettings, project: npmProject, output: ["node_modules"] };

export const npm: PackageManager = {
  ...ofNpm,
  name: "npm",
  command: "npm install --no-audit --no-fund >&2 && node p.js",
  caches: [".npm"],
};

export const pnpm: PackageManager = {
  ...ofNpm,
  name: "pnpm",
  command: "pnpm install >&2 && node p.js",
  caches: [".local/share/pnpm/store", ".cache/pnpm"],
};

export const yarn: PackageManager = {
  ...ofNpm,
  name: "yarn",
  settings: (url) => ({ ".yarnrc": `registry "${url}/npm/"\n`, ...npmSettings(url) }),
  command: "yarn install >&2 && node p.js",
  caches: [".cache/yarn"],
};

export const pip: PackageManager = {
  name: "pip",
  settings: (url) => ({
    ".config/pip/pip.conf": `[global]\nindex-url = ${url}/simple/\ntrusted-host = 127.0.0.1\n`,
  }),
  project: { "p.py": "import tiny\nprint(tiny.name)\n" },
  command: "python3 -m venv .venv && .venv/bin/pip install tiny >&2 && .venv/bin/python p.py",
  output: [".venv"],
  caches: [".cache/pip"],
};

export const uv: PackageManager = {
  name: "uv",
  settings: (url) => ({
    ".config/uv/uv.toml": `[[index]]\nurl = "${url}/simple/"\ndefault = true\n`,
  }),
  project: pip.project,
  command: "uv venv >&2 && uv pip install tiny >&2 && .venv/bin/python p.py",
  output: [".venv"],
  caches: [".cache/uv"],
};

export const cargo: PackageManager = {
  name: "cargo",
  settings: (url) => ({
    ".cargo/config.toml": `[source.crates-io]\nreplace-with = "local"\n[source.local]\nregistry = "sparse+${url}/index/"\n`,
  }),
  project: {
    "Cargo.toml":
      '[package]\nname = "p"\nversion = "1.0.0"\nedition = "2018"\n[dependencies]\ntiny = "1.0.0"\n[workspace]\n',
    "src/main.rs": 'fn main() { println!("{}", tiny::NAME); }\n',
  },
  command: "cargo build && cargo run --offline",
  output: ["target"],
  caches: [".cargo/registry"],
};

export const go: PackageManager = {
  name: "go",
  settings: (url) => ({
    ".config/go/env": `GOPROXY=${url}/go\nGOSUMDB=off\nGOFLAGS=-mod=mod\nGOTOOLCHAIN=local\n`,
  }),
  project: {
    "go.mod": "module p\n\ngo 1.18\n\nrequire tiny.example v1.0.0\n",
    "p.go": 'package main\n\nimport "tiny.example"\n\nfunc main() { println(tiny.Name) }\n',
    "p_test.go": 'package main\n\nimport "testing"\n\nfunc TestNothing(t *testing.T) {}\n',
  },
  command: "go build -o bin/p . && go test ./... >&2 && bin/p 2>&1",
  output: ["bin"],
  caches: ["go/pkg/mod", ".cache/go-build"],
};

/** The reason why it cannot be tested here. */
export function whyAbsent(
  { name }: PackageManager,
  env: Readonly<Record<string, string>>,
): string | undefined {
  try {
    execFileSync(name, [name === "go" ? "version" : "--version"], { stdio: "ignore", env });
    return undefined;
  } catch {
    return `there is no \`${name}\` on this machine`;
  }
}
