import { mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { taskStates } from "../../src/core/tasks/states.ts";
import { loadPlan } from "../../src/workspace/plan/load-plan.ts";
import { openSessionPlan } from "../../src/workspace/plan/open-session-plan.ts";
import { takeInPlan } from "../../src/workspace/plan/take-in-plan.ts";
import { writeStatuses } from "../../src/workspace/plan/write-statuses.ts";
import { taskText } from "../support/loaded-plan.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const now = new Date("2026-01-31T23:59:59Z");
const noAgents = { agents: {}, taskTypes: {} };
const plan = `# ours\nproject: { name: "My Shop: Über all" }\ntasks:\n${taskText("A")}${taskText("B")}`;
const both = (state: (typeof taskStates)[number]) => new Map([["A", state] as const, ["B", state] as const]);

function opened(root: string, { file = "tasks.yaml", again = false } = {}) {
  return openSessionPlan(root, file, { again, now, base: "main" });
}

describe("a plan that is run", () => {
  it("is copied into a session of its own, byte for byte, and stays as it is", () => {
    using folder = temporaryFolder({ "tasks.yaml": plan });
    const made = opened(folder.path);
    expect(made).toEqual({
      session: "2026-01-31_my-shop-ueber-all",
      folder: join(folder.path, ".agents-work/2026-01-31_my-shop-ueber-all"),
      file: join(folder.path, ".agents-work/2026-01-31_my-shop-ueber-all/tasks.yaml"),
      isNew: true,
      hasChanged: false,
    });
    expect(readFileSync(made.file, "utf8")).toBe(plan);
    writeStatuses(made.file, both("MERGED"));
    expect(readFileSync(join(folder.path, "tasks.yaml"), "utf8")).toBe(plan);
    expect(readdirSync(made.folder).sort()).toEqual(["source.json", "tasks.yaml"]);
  });

  it.each<[string, string, string]>([
    ["its file if it names no project", "plans/Next steps.yaml", "next-steps"],
    ["nothing better", "plans/計画.yaml", "plan"],
  ])("is named after %s", (_, file, slug) => {
    using folder = temporaryFolder({ [file]: `tasks:\n${taskText("A")}` });
    expect(opened(folder.path, { file }).session).toBe(`2026-01-31_${slug}`);
  });

  it("continues its unfinished session, whichever path leads to the file", () => {
    using folder = temporaryFolder({ "plans/tasks.yaml": plan });
    const first = opened(folder.path, { file: "plans/tasks.yaml" });
    symlinkSync("plans/tasks.yaml", join(folder.path, "link.yaml"));
    for (const file of ["plans/../plans/tasks.yaml", "link.yaml", first.file])
      expect(opened(folder.path, { file })).toEqual({ ...first, isNew: false });
  });

  it("has a separate session for each file, even of the same name", () => {
    using folder = temporaryFolder({ "tasks.yaml": plan, "other/tasks.yaml": plan });
    expect(opened(folder.path).session).toBe("2026-01-31_my-shop-ueber-all");
    expect(opened(folder.path, { file: "other/tasks.yaml" }).session).toBe("2026-01-31_my-shop-ueber-all-2");
    expect(opened(folder.path).session).toBe("2026-01-31_my-shop-ueber-all");
  });

  it("starts again on request, and then continues the newest session", () => {
    using folder = temporaryFolder({ "tasks.yaml": plan });
    for (let count = 1; count <= 11; count += 1) opened(folder.path, { again: true });
    expect(opened(folder.path)).toMatchObject({ session: "2026-01-31_my-shop-ueber-all-11", isNew: false });
  });

  it("continues the session that was opened last, whatever its name", () => {
    using folder = temporaryFolder({ "tasks.yaml": plan });
    opened(folder.path);
    folder.write("tasks.yaml", plan.replace("My Shop", "A shop"));
    const later = new Date("2026-01-31T23:59:59.5Z");
    const second = openSessionPlan(folder.path, "tasks.yaml", { again: true, now: later, base: "main" });
    expect(second.session).toBe("2026-01-31_a-shop-ueber-all");
    expect(opened(folder.path)).toEqual({ ...second, isNew: false });
  });

  it("starts a new session from a session's copy with no task done", () => {
    using folder = temporaryFolder({ "tasks.yaml": plan });
    const first = opened(folder.path);
    writeStatuses(first.file, both("MERGED"));
    const second = opened(folder.path, { file: first.file, again: true });
    expect(second).toMatchObject({ session: "2026-01-31_my-shop-ueber-all-2", isNew: true });
    expect(opened(folder.path)).toMatchObject({ session: second.session, isNew: false, hasChanged: false });
    expect(readFileSync(second.file, "utf8").match(/status: .*/g)).toEqual([
      "status: not-started",
      "status: not-started",
    ]);
  });

  it("stays with its finished session, also for new tasks, until a finished task is changed", () => {
    using folder = temporaryFolder({ "tasks.yaml": plan });
    const first = opened(folder.path);
    writeStatuses(first.file, both("MERGED"));
    expect(opened(folder.path)).toEqual({ ...first, isNew: false });
    folder.write("tasks.yaml", `${plan}${taskText("C")}`);
    expect(opened(folder.path)).toEqual({ ...first, isNew: false, hasChanged: true });
    folder.write("tasks.yaml", plan.replace(taskText("A"), `${taskText("A").trimEnd()}\n    uses: [db]\n`));
    expect(opened(folder.path)).toMatchObject({ session: "2026-01-31_my-shop-ueber-all-2", isNew: true });
  });

  it("continues a session whose copy was damaged, instead of doing every task again", () => {
    using folder = temporaryFolder({ "tasks.yaml": plan });
    const first = opened(folder.path);
    writeFileSync(first.file, "tasks: [\n");
    folder.write("tasks.yaml", `${plan}# changed\n`);
    expect(opened(folder.path)).toEqual({ ...first, isNew: false, hasChanged: true });
  });

  it("ignores other files in the sessions folder", () => {
    using folder = temporaryFolder({
      "tasks.yaml": plan,
      ".agents-work/notes/source.json": "no JSON",
      ".agents-work/2026-01-31_my-shop-ueber-all/spec.md": "x",
    });
    expect(opened(folder.path)).toMatchObject({ session: "2026-01-31_my-shop-ueber-all-2", isNew: true });
  });

  it("is recognised by its own folder even if the project is reached through a link", () => {
    using folder = temporaryFolder({ "project/tasks.yaml": plan });
    symlinkSync("project", join(folder.path, "link"));
    const first = opened(join(folder.path, "project"));
    expect(realpathSync(opened(join(folder.path, "link")).file)).toBe(first.file);
    expect(opened(join(folder.path, "link"), { file: first.file })).toMatchObject({ isNew: false });
  });
});

function loaded(file: string, root: string) {
  const result = loadPlan(file, root, noAgents);
  if ("faults" in result) throw new Error(JSON.stringify(result.faults));
  return result.plan;
}

describe("a plan that is changed while its session is unfinished", () => {
  const changed = `${plan.replace("id: B\n    goal: do it", "id: B\n    goal: do it well")}${taskText("C")}`;

  it("is adopted: new tasks and tasks that have not started, with the current statuses", () => {
    using folder = temporaryFolder({ "tasks.yaml": plan });
    const session = opened(folder.path);
    const before = loaded(session.file, folder.path);
    folder.write("tasks.yaml", changed);
    expect(opened(folder.path).hasChanged).toBe(true);
    const states = new Map([["A", "IN_PROGRESS"] as const, ["B", "PENDING"] as const]);
    const after = loaded("tasks.yaml", folder.path);
    expect(takeInPlan(session, { before, after, states })).toEqual({
      added: ["C"],
      changed: ["B"],
      removed: [],
    });
    expect(opened(folder.path).hasChanged).toBe(false);
    expect(loaded(session.file, folder.path).tasks.map(({ id, status, goal }) => [id, status, goal])).toEqual(
      [
        ["A", "in-progress", "do it"],
        ["B", "not-started", "do it well"],
        ["C", "not-started", "do it"],
      ],
    );
    expect(readFileSync(join(folder.path, "tasks.yaml"), "utf8")).toBe(changed);
  });

  it.each<[string, string]>([
    ["changed", changed],
    ["taken out", plan.replace(taskText("B"), "")],
  ])("is refused if a task that has started was %s, and nothing is written", (_, text) => {
    using folder = temporaryFolder({ "tasks.yaml": plan });
    const session = opened(folder.path);
    const before = loaded(session.file, folder.path);
    folder.write("tasks.yaml", text);
    const after = loaded("tasks.yaml", folder.path);
    const states = new Map([["B", "REVIEW"] as const]);
    expect(takeInPlan(session, { before, after, states })).toEqual({ started: ["B"] });
    expect(readFileSync(session.file, "utf8")).toBe(plan);
    expect(opened(folder.path).hasChanged).toBe(true);
  });
});

/** A session's copy with this text, and its text after the statuses were written. */
function afterwards(text: string, states: ReadonlyMap<string, (typeof taskStates)[number]>): string {
  using folder = temporaryFolder({ ".agents-work/2026-01-31_x/tasks.yaml": text });
  const file = join(folder.path, ".agents-work/2026-01-31_x/tasks.yaml");
  writeStatuses(file, states);
  expect(readdirSync(join(file, ".."))).toEqual(["tasks.yaml"]);
  return readFileSync(file, "utf8");
}

describe("the statuses in a session's copy", () => {
  it("are the plan's words for the states, and the rest of the text is unchanged", () => {
    const before = `# top\ntasks:\n    # first\n    -   id:  A   # the id\n        status:   "not-started"   # for now\n        goal: >-\n          long\n          text\n\n    - {id: 'B',   status: blocked, goal: x}\n# end`;
    expect(
      afterwards(
        before,
        new Map([
          ["A", "REVIEW"],
          ["B", "IN_PROGRESS"],
        ]),
      ),
    ).toBe(before.replace('"not-started"', "implemented").replace("blocked", "in-progress"));
  });

  it.each<[string, string, string]>([
    [
      "below the id",
      "tasks:\n  - id: A # x\n    goal: y\n",
      "tasks:\n  - id: A # x\n    status: completed\n    goal: y\n",
    ],
    [
      "below an id that is not first",
      "tasks:\n- goal: y\n  id: A",
      "tasks:\n- goal: y\n  id: A\n  status: completed",
    ],
    ["in braces", "tasks: [{ id: A, goal: y }]\n", "tasks: [{ id: A, status: completed, goal: y }]\n"],
    [
      "in lines with CRLF",
      "tasks:\r\n  - id: A\r\n    goal: y\r\n",
      "tasks:\r\n  - id: A\r\n    status: completed\r\n    goal: y\r\n",
    ],
    [
      "after a byte order mark",
      "\ufefftasks:\n  - id: A\n",
      "\ufefftasks:\n  - id: A\n    status: completed\n",
    ],
  ])("are added if there were none: %s", (_, before, after) => {
    expect(afterwards(before, new Map([["A", "MERGED"]]))).toBe(after);
  });

  it("leave a plan that loads, for every state", () => {
    using folder = temporaryFolder({ "tasks.yaml": plan });
    const { file } = opened(folder.path);
    for (const state of taskStates) {
      writeStatuses(file, both(state));
      expect(loadPlan(file, folder.path, noAgents)).toHaveProperty("plan");
    }
  });

  it("report the tasks that the copy does not have", () => {
    using folder = temporaryFolder({ "tasks.yaml": plan });
    const { file } = opened(folder.path);
    expect(
      writeStatuses(
        file,
        new Map([
          ["A", "MERGED"],
          ["Z", "MERGED"],
        ]),
      ),
    ).toEqual(["Z"]);
  });

  it("are not written to other files", () => {
    using folder = temporaryFolder({ "tasks.yaml": plan });
    expect(() => writeStatuses(join(folder.path, "tasks.yaml"), both("MERGED"))).toThrow(
      "is not a session's copy",
    );
  });

  it("leave an invalid copy unchanged, and report it", () => {
    expect(() => afterwards("tasks: [\n", both("MERGED"))).toThrow("the plan is not valid YAML");
    expect(() => afterwards("tasks:\n- id: A\n  status: |\n    x\n", both("MERGED"))).toThrow(
      "not a plain word",
    );
  });

  it("leave the original unchanged if the copy was replaced by a link to it", () => {
    using folder = temporaryFolder({ "tasks.yaml": plan });
    mkdirSync(join(folder.path, ".agents-work/2026-01-31_x"), { recursive: true });
    const file = join(folder.path, ".agents-work/2026-01-31_x/tasks.yaml");
    symlinkSync("../../tasks.yaml", file);
    writeStatuses(file, both("MERGED"));
    expect(readFileSync(join(folder.path, "tasks.yaml"), "utf8")).toBe(plan);
    expect(readFileSync(file, "utf8")).toContain("status: completed");
  });
});
