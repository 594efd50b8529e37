import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  agentEnvironment,
  type Dispatched,
  type GuardedRepository,
  guardedRepository,
} from "../support/guarded-repository.ts";
import { startProgram } from "../support/run-command.ts";
import { lockstepWords } from "../support/run-hook.ts";

interface Row {
  readonly id: string;
  readonly tool: string;
  readonly input: string;
  readonly expect: string;
  readonly runnable: boolean;
}

const rows = readFileSync(new URL("../vectors/guard.jsonl", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line.replaceAll("<+>", "")) as Row)
  .filter(({ runnable }) => runnable);

let repository: GuardedRepository;
let own: Dispatched;

beforeAll(async () => {
  repository = guardedRepository();
  own = await repository.dispatch("T-A", ["src/a/**"]);
  await repository.dispatch("T-B", ["src/b/**"]);
}, 60_000);
afterAll(() => repository[Symbol.dispose]());

/** As Claude sends it, with the fixture's `/repo` replaced by the path of the repository. */
function payloadOf({ tool, input }: Row, event = "PreToolUse") {
  const text = input.replaceAll("/repo", repository.path);
  const given = text.startsWith("{") ? JSON.parse(text) : { tool_name: tool, tool_input: { command: text } };
  return { session_id: "s1", cwd: repository.path, hook_event_name: event, tool_use_id: "t1", ...given };
}

describe("every case of the vectors", () => {
  it("are all present", () => {
    expect(rows).toHaveLength(107);
  });

  it.each(rows)("$id has the expected answer: $expect", async (row) => {
    // A call that names an agent of the client belongs to that agent, and not to the one that was started with the
    // task.
    const env = row.input.includes('"agent_id"') ? {} : agentEnvironment(own);
    const { exit, stdout, stderr } = await repository.guard(payloadOf(row), { env });
    const denied = row.expect.startsWith("deny");
    expect({ exit, stderr }).toMatchObject({ exit: denied ? 2 : 0 });
    // A failing guard refuses too; without this check it would pass as one that judged.
    expect(stderr).not.toMatch(/E-INTERNAL|could not be asked/);
    if (denied) {
      expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
      expect(stderr).toMatch(/\S/);
    } else expect(stdout).not.toContain("deny");
  });
});

describe("rows with unknown writes", () => {
  const settings = ".lockstep/config.yaml";
  beforeAll(() => {
    repository.write(settings, "guard: { opaque: verify }\n");
  });
  afterAll(() => rmSync(join(repository.path, settings)));

  it.each(rows.filter((row) => row.expect === "post-check"))(
    "$id is detected by the comparison afterwards",
    async (row) => {
      const env = agentEnvironment(own);
      await repository.guard(payloadOf(row), { env });
      repository.write("src/b/x.ts", `written by ${row.id}\n`);
      const { exit, stderr } = await repository.guard(payloadOf(row, "PostToolUse"), { env });
      expect(exit).toBe(2);
      expect(stderr).toMatch(/^R-PW-001: this call changed files outside the lock scope: `src\/b\/x.ts`/);
    },
  );
});

describe("the command itself", () => {
  const some = rows.filter((row, index) => index % 4 === 0 || row.expect === "allow");
  it.each(some)("$id has the expected answer of `lockstep guard claude`: $expect", async (row) => {
    const env = row.input.includes('"agent_id"') ? {} : agentEnvironment(own);
    const input = JSON.stringify(payloadOf(row));
    const words = [...lockstepWords, "guard", "claude"];
    const { status, stdout, stderr } = await startProgram(words, { cwd: repository.path, input, env }).ended;
    expect(stderr).not.toMatch(/E-INTERNAL|could not be asked/);
    if (!row.expect.startsWith("deny")) {
      expect(status).toBe(0);
      // A command with unknown writes runs inside the lock, if a sandbox is available.
      if (stdout !== "") expect(JSON.parse(stdout).hookSpecificOutput).toHaveProperty("updatedInput");
    } else {
      expect(status).toBe(2);
      expect(JSON.parse(stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
      expect(stderr).toMatch(/R-(?:PW-00[12]|IN-001): /);
    }
  });
});
