import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DirtyRepository, dirtyRepository } from "../../bench/fuzz/execute/dirty-repository.ts";
import { executeCommands } from "../../bench/fuzz/execute/execute-commands.ts";
import { JudgedRepository } from "../../bench/fuzz/execute/judged-repository.ts";
import { describeViolation } from "../../bench/fuzz/execute/print-executed.ts";
import { isLetThrough, isViolation } from "../../bench/fuzz/execute/tell-executed.ts";
import { missing } from "../support/sandboxed.ts";

const folder = new URL("../../node_modules/.cache", import.meta.url).pathname;

describe.skipIf(missing !== undefined)("commands that are executed", () => {
  let repository: DirtyRepository;
  let judged: JudgedRepository;

  beforeAll(() => {
    repository = dirtyRepository(folder);
    judged = new JudgedRepository(repository);
  });
  afterAll(() => repository[Symbol.dispose]());

  it("change nothing outside the lock if they are allowed and can be judged", async () => {
    const all = await executeCommands({ count: 200, seed: 20_261_115, folder, lanes: 3 });
    expect(all.filter(isViolation).map(describeViolation)).toEqual([]);
    expect(all.filter(isLetThrough).length).toBeGreaterThan(40);
    // Refused commands must do harm often enough, or this test would show nothing.
    expect(all.filter(({ changed = [] }) => changed.length > 0).length).toBeGreaterThan(8);
  });

  it.each([
    ["echo x > docs/guide.md", ["repo/docs/guide.md"]],
    ["rm -r src/b", ["repo/src/b", "repo/src/b/untracked.ts", "repo/src/b/x.ts", "repo/src/b/y.ts"]],
    ["touch src/a/lf", ["repo/src/b/x.ts"]],
    ["ln src/b/x.ts src/a/second-name", ["repo/src/b/x.ts"]],
    ["chmod +x README.md", ["repo/README.md"]],
    ["mv notes.txt src/a", ["repo/notes.txt"]],
    ["touch ~/notes out/new", ["beside/new", "home/notes"]],
    ["git config a.b c", ["repo/.git/config"]],
    ["git tag -d v1; git stash drop", ["refs/stash", "refs/tags/v1"]],
    ["git checkout -q -f other", ["HEAD"]],
  ])("are seen to make their changes: %s", async (command, changed) => {
    expect((await judged.execute(command)).changed).toEqual(expect.arrayContaining(changed));
    expect(await judged.execute("touch src/a/fresh.ts /tmp/x; git status; git add -A")).toMatchObject({
      ...{ changed: [], objections: [], tookTooLong: false },
    });
  });

  it("reach nothing else, and leave no process behind", async () => {
    const late = await judged.execute("(sleep 1; touch /repo/docs/late) & touch /usr/x /x; kill -9 -1");
    expect(late).toMatchObject({ changed: [], tookTooLong: false });
    expect((await judged.execute("sleep 60")).tookTooLong).toBe(true);
  });
});
