import { execFileSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { expandGlob } from "../../src/core/paths/expand-glob.ts";
import { resolveDots } from "../../src/core/paths/locate.ts";
import type { Place } from "../../src/core/paths/place.ts";
import { Scope } from "../../src/core/paths/scope.ts";
import { analyzeCommand } from "../../src/core/shell/analyze.ts";
import { type Target, targetsOf } from "../../src/core/shell/write-targets.ts";
import { nodeDisk } from "../../src/workspace/files/disk.ts";

/**
 * Small scripts are analysed and then run by bash: the analysis must have predicted every path that bash changed, or
 * must have reported that it cannot know. The project is deep in a folder of its own, so that `..` stays within it.
 */
const outer = realpathSync(mkdtempSync(join(tmpdir(), "lockstep-truth-")));
const root = join(outer, "1/2/3/4/5/6/7/8");
afterAll(() => rmSync(outer, { recursive: true }));

const place: Place = { root };
const disk = nodeDisk();

const path = fc.constantFrom(
  ...'a new d/a d/new ./e/../d/b d/sub/x l/a l/../up ../out $v "$v" d/$w $w ${v%/*}/cut ${v##*/} d/{a,n}'.split(
    " ",
  ),
  ...'d/* ? ${u:-d/default} "$PWD/here" $1 d/[ab] "${arr[@]}" ${arr[0]} ~+/home ${v/d/e} ${!r}'.split(" "),
  "$(echo d/said)",
  "'a b'",
  "$'d/\\x61'",
  "$(dirname $v)/x",
);
const simple = fc.oneof(
  path.map((p) => `echo x > ${p}`),
  path.map((p) => `touch ${p}`),
  path.map((p) => `: >> ${p}`),
  path.map((p) => `rm -f ${p}`),
  path.map((p) => `mkdir -p ${p}`),
  path.map((p) => `cp f ${p}`),
  path.map((p) => `mv f ${p}`),
  path.map((p) => `printf y | tee ${p}`),
  path.map((p) => `sed -i s/x/z/ ${p}`),
  path.map((p) => `cat <<EOF > ${p}\n$v\nEOF`),
  path.map((p) => `echo ${p} | xargs touch`),
  path.map((p) => `v=${p}`),
  path.map((p) => `w=${p}`),
  path.map((p) => `arr=(${p} d/b)`),
  path.map((p) => `read -r v <<< ${p}`),
  path.map((p) => `printf -v v %s ${p}`),
  fc.constantFrom(
    "cd d",
    "cd e",
    "cd ..",
    "cd nowhere",
    "cd l",
    "cd -",
    "pushd d",
    "popd",
    "r=v",
    "set -e",
    "u=d/set",
    "export w={a,d/b}",
    "w={a,d/b}",
    "exec 3< a",
    "echo x > /dev/fd/3",
    "echo x 2< a > /dev/stderr",
    "echo x > /dev/fd/2",
  ),
  path.map((p) => `{ echo x > /dev/fd/3\n} 3< ${p}`),
  path.map((p) => `declare v=${p}`),
  fc.constantFrom("shift", "set -- d/p q", "unset v", "v+=/more", "return", "false", "true", "exit", "IFS=/"),
);
const script = fc.letrec<{ script: string; statement: string }>((tie) => ({
  statement: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    simple,
    simple,
    tie("script").map((s) => `( ${s}\n)`),
    tie("script").map((s) => `{ ${s}\n}`),
    fc.tuple(simple, tie("statement")).map(([a, b]) => (a.includes("<<EOF") ? b : `${a} && ${b}`)),
    fc.tuple(simple, tie("statement")).map(([a, b]) => (a.includes("<<EOF") ? b : `${a} || ${b}`)),
    fc.tuple(simple, tie("script"), tie("script")).map(([c, a, b]) => `if ${c}\nthen ${a}\nelse ${b}\nfi`),
    fc.tuple(path, tie("script")).map(([p, s]) => `for v in ${p} d/b; do ${s}\ndone`),
    fc.tuple(path, tie("script")).map(([p, s]) => `while read -r v; do ${s}\ndone <<< ${p}`),
    fc.tuple(path, tie("script")).map(([p, s]) => `f() { ${s}\n}; f ${p} d/b`),
    fc.tuple(path, tie("script")).map(([p, s]) => `case ${p} in d*) ${s}\n;; *) ${s}\n;; esac`),
    tie("script").map((s) => (s.includes("'") ? s : `eval '${s}'`)),
    tie("script").map((s) => (s.includes("'") ? s : `bash -c '${s}' zero d/one`)),
    tie("script").map((s) => (s.includes("'") ? s : `trap '${s}' EXIT`)),
  ),
  script: fc.array(tie("statement"), { minLength: 1, maxLength: 4 }).map((all) => all.join("\n")),
})).script;
/** With known variables most scripts can be followed to their end. */
const start = "v=d/a w=b r=v u=; arr=(a d/b); set -- d/p q\n";

it("bash changes nothing that the analysis did not predict", () => {
  let changes = 0;
  let followed = 0;
  fc.assert(
    fc.property(script, (generated) => {
      const source = start + generated;
      reset();
      const analysis = analyzeCommand(source, { cwd: root, root, disk });
      const targets = analysis.writes.flatMap((write) => targetsOf(write, place));
      const knows = analysis.refusals.length === 0 && targets.every(({ kind }) => kind !== "unresolved");
      if (!knows) return;
      const real = targets.flatMap(resolved);
      const before = snapshot();
      runBash(source);
      const changed = difference(before, snapshot());
      followed += 1;
      changes += changed.length;
      const missed = changed.filter((one) => !real.some((target) => foretells(target, one)));
      expect(missed, source).toEqual([]);
    }),
    { numRuns: Number(process.env.LOCKSTEP_TRUTH_RUNS ?? 300) },
  );
  expect(followed).toBeGreaterThan(100);
  expect(changes).toBeGreaterThan(100);
});

function reset(): void {
  rmSync(join(outer, "1"), { recursive: true, force: true });
  for (const file of ["a", "b", "f", "d/a", "d/b", "e/c", "d/sub/x"]) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), "x\n");
  }
  symlinkSync("d", join(root, "l"));
}

function runBash(source: string): void {
  try {
    const options = { cwd: root, timeout: 10_000, input: "", env: { PATH: "/usr/bin:/bin" } } as const;
    execFileSync("bash", ["-c", source], { ...options, stdio: ["pipe", "ignore", "ignore"] });
  } catch (error) {
    if ((error as { code?: string }).code === "ETIMEDOUT") throw error;
  }
}

function snapshot(): Map<string, string> {
  const seen = new Map<string, string>();
  const walk = (folder: string) => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const stat = lstatSync(path, { bigint: true });
      // Folders themselves are not tracked; their contents are.
      if (stat.isDirectory()) walk(path);
      else seen.set(path, `${stat.ino} ${stat.mtimeNs} ${stat.size}`);
    }
  };
  walk(outer);
  return seen;
}

function difference(before: Map<string, string>, after: Map<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path),
  );
}

/** Resolved before the script runs, which may remove the folder of a link. */
function resolved(target: Target): Target[] {
  // Removing a link removes the link; writing to it writes its target.
  if (target.kind === "path") return [target, { ...target, path: disk.realPath(target.path) }];
  if (target.kind !== "glob") return [target];
  const now = expandGlob(target.pattern, disk).map((path) => disk.realPath(path));
  return [target, ...now.map((path): Target => ({ kind: "path", path, tree: true }))];
}

function matches({ entry }: Extract<Target, { kind: "glob" }>, path: string): boolean {
  if (!path.startsWith(`${root}/`)) return false;
  return new Scope([entry], place).entryOf(path.slice(root.length + 1)) !== undefined;
}

function foretells(target: Target, changed: string): boolean {
  if (target.kind === "nowhere" || target.kind === "unresolved") return false;
  if (target.kind === "outside") return changed.startsWith(dirname(target.path));
  // A file that is copied or moved to a folder ends up inside it.
  if (target.kind === "glob") return [changed, dirname(changed)].some((path) => matches(target, path));
  const path = resolveDots(target.path);
  return (
    changed === path ||
    dirname(changed) === path ||
    path.startsWith(`${changed}/`) ||
    (target.tree && changed.startsWith(`${path}/`))
  );
}
