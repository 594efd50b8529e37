import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  agentEnvironment,
  type GuardedRepository,
  guardedRepository,
} from "../support/guarded-repository.ts";

/** A file that is created, changed, and written by a command. */
const writesTo = ({ path: root }: GuardedRepository, path: string) =>
  (
    [
      ["Write", { file_path: join(root, path), content: "x" }],
      ["Edit", { file_path: join(root, path), old_string: "x", new_string: "y" }],
      ["Bash", { command: `echo x > ${join(root, path)}` }],
    ] as const
  ).map(([tool_name, tool_input]) => ({
    ...{ session_id: "s1", cwd: root, hook_event_name: "PreToolUse", tool_use_id: "t1" },
    ...{ tool_name, tool_input },
  }));

it("before every write the packet of the dispatch applies to an agent, and its own packet to the next agent", async () => {
  using repository = guardedRepository();
  const agents: Record<string, Record<string, string>> = {};
  for (const [task, scope] of [
    ["T-1", "docs"],
    ["T-2", "tools"],
  ] as const) {
    const assignment = { forbidden_scope: [`${scope}/keys`] };
    agents[task] = agentEnvironment(await repository.dispatch(task, [scope], { assignment }));
  }
  const found: Record<string, Record<string, readonly string[]>> = {};
  for (const path of [
    "docs/new.md",
    "docs/keys/new",
    "tools/new.go",
    "tools/keys/new",
    "src/new.ts",
    "worklogs/T-1.md",
  ]) {
    const codesOf: Record<string, readonly string[]> = {};
    for (const [task, env] of Object.entries(agents)) {
      const codes = new Set<string>();
      for (const call of writesTo(repository, path)) {
        const { exit, stderr } = await repository.guard(call, { env });
        codes.add(exit === 0 ? "allowed" : (stderr.split(":")[0] ?? ""));
      }
      codesOf[task] = [...codes];
    }
    found[path] = codesOf;
    expect(existsSync(join(repository.path, path))).toBe(false);
  }
  expect(found).toEqual({
    "docs/new.md": { "T-1": ["allowed"], "T-2": ["R-PW-001"] },
    "docs/keys/new": { "T-1": ["R-PW-002"], "T-2": ["R-PW-001"] },
    "tools/new.go": { "T-1": ["R-PW-001"], "T-2": ["allowed"] },
    "tools/keys/new": { "T-1": ["R-PW-001"], "T-2": ["R-PW-002"] },
    "src/new.ts": { "T-1": ["R-PW-001"], "T-2": ["R-PW-001"] },
    "worklogs/T-1.md": { "T-1": ["allowed"], "T-2": ["R-PW-001"] },
  });
});
