import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  agentEnvironment,
  type Dispatched,
  type GuardedRepository,
  guardedRepository,
} from "../support/guarded-repository.ts";

let repository: GuardedRepository;
let own: Dispatched;

beforeAll(async () => {
  repository = guardedRepository();
  own = await repository.dispatch("T-A", ["src/a/**"]);
}, 60_000);
afterAll(() => repository[Symbol.dispose]());

async function answer(command: string, env: Readonly<Record<string, string>> = {}) {
  const { exit, stderr } = await repository.guard(
    {
      ...{ session_id: "s1", cwd: repository.path, hook_event_name: "PreToolUse", tool_use_id: "t1" },
      ...{ tool_name: "Bash", tool_input: { command: command.replaceAll("REPO", repository.path) } },
    },
    { env: { ...agentEnvironment(own), ...env } },
  );
  return { exit, said: stderr };
}

describe("the environment of the hook", () => {
  it.each([
    "echo x > ${TMPDIR}REPO/docs/guide.md",
    'rm -rf "${TMPDIR:-docs}"',
    "rm -rf $TMPDIR/*",
    "find $TMPDIR -delete",
    "touch $TMPDIR/x",
  ])("without TMPDIR %s is refused", async (command) => {
    expect((await answer(command)).exit).toBe(2);
  });

  it.each([
    ["mktemp -d", {}],
    ['d=$(mktemp -d); rm -rf "$d"', {}],
    ['touch "${TMPDIR:-/tmp}/x"', {}],
    ["touch $TMPDIR/x", { TMPDIR: "/tmp" }],
    ['rm -rf "${TMPDIR:-docs}/x"', { TMPDIR: "/tmp" }],
  ])("%s passes with %j", async (command, env) => {
    expect(await answer(command, env)).toEqual({ exit: 0, said: "" });
  });

  it("uses the given TMPDIR, wherever it is", async () => {
    expect((await answer("touch $TMPDIR/guide.md", { TMPDIR: "docs" })).exit).toBe(2);
    expect((await answer("touch $TMPDIR/guide.md", { TMPDIR: `${repository.path}/docs` })).exit).toBe(2);
    expect((await answer("rm -rf $TMPDIR/*", { TMPDIR: "/" })).exit).toBe(2);
  });
});

describe("Lockstep's own process", () => {
  it("cannot be killed by its process id", async () => {
    for (const command of [`kill ${process.pid}`, `kill -9 -${process.pid}`, `kill -s STOP 1 ${process.pid}`])
      expect((await answer(command)).said).toContain("Lockstep's own processes");
    expect(await answer(`kill ${process.pid}1`)).toEqual({ exit: 0, said: "" });
    expect(await answer(`kill -0 ${process.pid}`)).toEqual({ exit: 0, said: "" });
  });
});

describe("an existing path, and refs of that name", () => {
  it("counts as a path if no ref has its name", async () => {
    for (const command of ["git checkout src/a", "git reset src", "git reset README.md"])
      expect(await answer(command)).toEqual({ exit: 0, said: "" });
    expect((await answer("git checkout docs")).exit).toBe(2);
    expect((await answer("git checkout main")).said).toContain("rewrites the whole work tree");
  });

  it.each([
    ["a branch", () => void repository.git("branch", "src/a")],
    ["a packed branch", () => void repository.git("pack-refs", "--all")],
    [
      "a tag",
      () => {
        repository.git("branch", "-D", "src/a");
        repository.git("tag", "src/a");
      },
    ],
  ])("cannot be checked out if its name is also %s", async (_, make) => {
    make();
    expect((await answer("git checkout src/a")).said).toContain("rewrites the whole work tree");
  });
});
