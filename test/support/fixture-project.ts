import type { Place } from "../../src/core/paths/place.ts";
import { readEntries, Scope } from "../../src/core/paths/scope.ts";
import { analyzeCommand } from "../../src/core/shell/analyze.ts";
import { type CommandLimits, judgeCommand } from "../../src/core/shell/judge-command.ts";
import { memoryDisk } from "./memory-disk.ts";

const root = "/repo";
const files = [
  "src/a/ok.ts",
  "src/a/in.ts",
  "src/a/x.ts",
  "src/b/x.ts",
  "package.json",
  "README.md",
  "docs/guide.md",
];
const more = [
  "test/a.test.ts",
  "tools/gen.go",
  "gen.sh",
  "Makefile",
  "in.json",
  "p.diff",
  ".env",
  ".git/HEAD",
];

const disk = memoryDisk({
  ...Object.fromEntries([...files, ...more].map((path) => [`${root}/${path}`, "x\n"])),
  [`${root}/src/a/link-b`]: { to: "../b" },
  [`${root}/src/a/lf`]: { to: "../b/x.ts" },
  [`${root}/src/a/dangling`]: { to: "../b/none.ts" },
  [`${root}/out`]: { to: "/etc" },
  [`${root}/node_modules/x/index.js`]: "x\n",
  [`${root}/node_modules/docs`]: { to: "../docs" },
  "/etc/hosts": "x\n",
  "/tmp": null,
  "/home/user": null,
});
const place: Place = { root, home: "/home/user" };
function limitsOf(lock: readonly string[], forbidden: readonly string[]): CommandLimits {
  return {
    place,
    disk,
    lock: scopeOf(lock),
    others: scopeOf(["src/b/**"]),
    forbidden: scopeOf(forbidden),
    scratch: ["/tmp", "/var/tmp"],
    output: scopeOf(["node_modules", "coverage"]),
  };
}

const refs = new Set(["main", "src/b"]);
const mayBeRef = (name: string) => refs.has(name);
const analyze = (command: string) =>
  analyzeCommand(command, {
    cwd: root,
    root,
    home: "/home/user",
    tmpdir: "/tmp",
    task: "T-A",
    disk,
    mayBeRef,
  });

/** The project at `/repo` for a caller that holds this scope; another task holds src/b/**. */
export function projectHolding(lock: readonly string[], forbidden: readonly string[] = []) {
  const limits = limitsOf(lock, forbidden);
  return { analyze, judge: (command: string) => judgeCommand(analyze(command), limits) };
}

/** The project of the guard's cases: the caller holds src/a/**. */
export const fixtureProject = projectHolding(["src/a/**"]);

function scopeOf(texts: readonly string[]): Scope {
  const result = readEntries(texts, place);
  if ("error" in result) throw new Error(result.error);
  return new Scope(result.entries, place);
}
