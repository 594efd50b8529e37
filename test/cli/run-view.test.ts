import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { drawLog } from "../../src/cli/run-view/draw-log.ts";
import { drawRun } from "../../src/cli/run-view/draw-run.ts";
import { type Looking, lookingAtTasks, pressKey, readKeys } from "../../src/cli/run-view/press-key.ts";
import { hasFinishedProving } from "../../src/cli/run-view/proving.ts";
import type { RunModel } from "../../src/cli/run-view/run-model.ts";
import { displayWidth, fitted, wrapped } from "../../src/core/text/display-width.ts";
import { readHostRecord } from "../../src/server/host-record.ts";
import { shortName } from "../../src/view/task-names.ts";
import type { ShownTask } from "../../src/view/task-words.ts";
import { shortNumber } from "../../src/view/words.ts";
import { clockTime } from "../../src/workspace/process/local-time.ts";
import { landRepository } from "../support/land-repository.ts";
import { eventually, startProgram } from "../support/run-command.ts";
import { command } from "../support/run-hook.ts";

const session = "2026-08-01_shop";
const now = Date.parse("2026-08-01T10:03:10Z");

function shown(id: string, state: ShownTask["state"], more: Partial<ShownTask> = {}): ShownTask {
  const hasStarted = state !== "PENDING";
  return {
    ...{ key: `${session}/${id}`, title: `Title of ${id}`, state, agent: "coder", code: null, reason: null },
    ...{ attempts: hasStarted ? 1 : 0, waits: [], reverted_by: null },
    alive: hasStarted ? { lease: ["IN_PROGRESS", "REVIEW"].includes(state) ? "running" : "over" } : null,
    started_at: hasStarted ? "2026-08-01T10:00:00Z" : null,
    elapsed_seconds: hasStarted ? 72 : null,
    usage: { tokens: hasStarted ? 12_345 : 0, cost_usd: null },
    ...more,
  };
}

type Wait = ShownTask["waits"][number];

const person = (why: Extract<Wait, { on: "person" }>["why"]): readonly Wait[] => [
  { on: "person", why, decision: null },
];

function model(tasks: readonly ShownTask[], more: Partial<RunModel> = {}): RunModel {
  return {
    ...{ name: session, tasks, decisions: [], walls: { guard: false, sandbox: true, diff: true } },
    ...{ budget: { tokens: 50_000, costUsd: null }, last: new Map(), sinceMs: now - 250_000 },
    ...{ notice: null, selected: null, keys: null, remark: null, nameOf: shortName },
    ...more,
  };
}

const question = {
  id: "UD-001",
  kind: "widen" as const,
  task: `${session}/T-002`,
  question: "`T-002` asks for src/b.ts",
  options: ["approved", "refused"],
};

describe("the view of a run", () => {
  it("shows first what needs a person, then every task with its last action", () => {
    const tasks = [
      shown("T-001", "MERGED"),
      shown("T-002", "IN_PROGRESS"),
      shown("T-003", "ESCALATED", {
        waits: person("escalated"),
        code: "R-PC-002",
        reason: "`npm test` fails on the merged tree",
      }),
      shown("T-004", "PENDING", {
        waits: [{ on: "dependency", task: `${session}/T-003`, state: "ESCALATED", waits_for_person: true }],
      }),
      shown("T-005", "IN_PROGRESS", { alive: { lease: "held" }, waits: person("taken") }),
    ];
    const whole = model(tasks, {
      decisions: [question],
      last: new Map([[`${session}/T-002`, "Edit src/price.ts"]]),
      selected: `${session}/T-002`,
      notice: "· running on the merged tree: npm test",
      keys: ["j/k select"],
    });
    expect(drawRun(whole, { columns: 80, rows: 24, now })).toEqual([
      "2026-08-01_shop  1 of 5 merged, 1 in progress, 1 taken, 1 escalated, 1 pending",
      "4m 10s, 49k tokens, isolation: sandbox on, scope check on",
      "",
      "waiting for you",
      "  UD-001  `T-002` asks for src/b.ts",
      "          lockstep decide UD-001 approved",
      "          lockstep decide UD-001 refused",
      "  T-003   R-PC-002 `npm test` fails on the merged tree",
      '          lockstep task resolve T-003 --note "…"',
      "  T-005   you took it over",
      "          lockstep submit T-005",
      "",
      "  TASK   STATE        AGENT    TIME   TOKENS  LAST",
      "› T-002  in progress  coder  3m 10s  12k/50k  Edit src/price.ts",
      "  T-005  taken        coder  3m 10s  12k/50k  you took it over",
      "  T-003  escalated    coder  1m 12s  12k/50k  R-PC-002 `npm test` fails on the…",
      "  T-004  pending      coder       -        -  waits for T-003 (waits for you)",
      "  T-001  merged       coder  1m 12s  12k/50k  Title of T-001",
      "",
      "· running on the merged tree: npm test",
      "j/k select",
    ]);
  });

  it("shows the cost against its budget if a client reports one", () => {
    const tasks = [shown("T-001", "IN_PROGRESS", { usage: { tokens: 900, cost_usd: 0.4249 } })];
    const lines = drawRun(model(tasks, { budget: { tokens: null, costUsd: 2 } }), {
      ...{ columns: 80, rows: 10, now },
    });
    expect(lines).toEqual([
      "2026-08-01_shop  0 of 1 merged, 1 in progress",
      "4m 10s, 900 tokens, 0.42 USD, isolation: sandbox on, scope check on",
      "  TASK   STATE        AGENT    TIME  TOKENS       COST  LAST",
      "  T-001  in progress  coder  3m 10s     900  0.42/2.00  Title of T-001",
    ]);
  });

  it("names the address of the board, once", () => {
    const board = "http://127.0.0.1:15730";
    const lines = drawRun(model([shown("T-001", "MERGED")], { board }), { columns: 120, rows: 10, now });
    expect(lines.filter((line) => line.includes(`board: ${board}`))).toHaveLength(1);
  });

  it("shows the address of the board in full on a terminal of usual width, on a line of its own if there is no room", () => {
    const [board, walls] = ["http://127.0.0.1:15730", { guard: false, sandbox: true, diff: true }];
    const tasks = [shown("T-001", "IN_PROGRESS", { usage: { tokens: 123_456, cost_usd: 12.34 } })];
    const lines = drawRun(model(tasks, { board, walls }), { columns: 80, rows: 24, now });
    expect(lines.filter((line) => line.includes("board"))).toEqual([`board: ${board}`]);
    expect(lines.filter((line) => line.includes("…"))).toEqual([]);
  });

  it("omits columns on a narrow terminal, and shows the number of tasks without a line", () => {
    const waiting = Array.from({ length: 20 }, (_, at) => shown(`T-${at + 10}`, "PENDING"));
    const tasks = [shown("T-001", "MERGED"), ...waiting, shown("T-002", "REVIEW")];
    expect(drawRun(model(tasks), { columns: 40, rows: 7, now })).toEqual([
      "2026-08-01_shop  1/22 merged, 1 review,…",
      "4m 10s, 25k tokens, isolation: sandbox…",
      "  TASK   STATE      LAST",
      "  T-002  in review  Title of T-002",
      "  T-10   pending    Title of T-10",
      "  T-11   pending    Title of T-11",
      "  and 19 more: 18 pending, 1 merged",
    ]);
  });

  it("shortens its progress on a narrow terminal, or moves it to a line of its own", () => {
    const states = ["IN_PROGRESS", "REVIEW", "ESCALATED", "BLOCKED", "PENDING"] as const;
    const tasks = states.flatMap((state) => [1, 2].map((at) => shown(`${state}-${at}`, state)));
    const head = (more: readonly ShownTask[]) =>
      drawRun(model([...tasks, ...more]), { columns: 80, rows: 24, now }).slice(0, 2);
    expect(head([])).toEqual([
      "2026-08-01_shop  0 of 10 merged",
      "2 in progress, 2 in review, 2 escalated, 2 blocked, 2 pending",
    ]);
    expect(head([shown("X", "MERGED", { reverted_by: "abc" }), shown("Y", "FAILED")])[1]).toBe(
      "2 running, 2 review, 2 escalated, 2 blocked, 1 failed, 2 pending, 1 rolled back",
    );
    const [short] = drawRun(model(tasks.slice(0, 8)), { columns: 80, rows: 12, now });
    expect(short).toBe("2026-08-01_shop  0/8 merged, 2 running, 2 review, 2 escalated, 2 blocked");
  });

  it("shows notices for the whole run, and breaks a long one between words", () => {
    const notice = `T-001 is stopped, and its work is kept: ${"a way ".repeat(7)}\`lockstep task retry T-001\``;
    const remark = "No new task starts. Press q or Ctrl-C again to stop the agents.";
    const lines = drawRun(model([shown("T-001", "PENDING")], { notice, remark }), {
      ...{ columns: 80, rows: 24, now },
    });
    expect(lines[2]).toBe(remark);
    expect(lines.slice(-2)).toEqual([
      "T-001 is stopped, and its work is kept: a way a way a way a way a way a way a",
      "way `lockstep task retry T-001`",
    ]);
  });

  it("stops the clock of work whose run has ended at its last sign of life", () => {
    const alive = { lease: "lapsed", last_heartbeat_at: "2026-08-01T10:00:40Z", runner_alive: false };
    const lines = drawRun(model([shown("T-001", "IN_PROGRESS", { alive })], { walls: null }), {
      ...{ columns: 80, rows: 10, now },
    });
    expect(lines).toEqual([
      "2026-08-01_shop  0 of 1 merged, 1 interrupted",
      "4m 10s, 12k tokens",
      "  TASK   STATE        AGENT  TIME   TOKENS  LAST",
      "  T-001  interrupted  coder   40s  12k/50k  its run ended",
    ]);
  });

  it("keeps the selected task visible", () => {
    const tasks = Array.from({ length: 9 }, (_, at) => shown(`T-${at + 1}`, "PENDING"));
    const lines = drawRun(model(tasks, { selected: `${session}/T-9` }), { columns: 60, rows: 6, now });
    expect(lines.slice(3)).toEqual([
      "  T-8   pending  coder     -       -  Title of T-8",
      "› T-9   pending  coder     -       -  Title of T-9",
      "  and 7 more: 7 pending",
    ]);
  });

  it.each([
    [80, 24],
    [80, 5],
    [40, 12],
    [20, 3],
    [10, 1],
    [200, 60],
  ])("fits %i columns and %i lines, with any text", (columns, rows) => {
    const odd = "価格の丸め 👩‍👩‍👧 e\u0301 \u001b[2J\nnext\u0007".repeat(10);
    const tasks = Array.from({ length: 30 }, (_, at) =>
      shown(`T-${at}`, at % 2 === 0 ? "ESCALATED" : "IN_PROGRESS", { title: odd, reason: odd, agent: odd }),
    );
    const last = new Map(tasks.map(({ key }) => [key, odd]));
    const decisions = [{ ...question, question: odd }];
    const lines = drawRun(model(tasks, { last, decisions, name: odd, notice: odd, keys: [odd, odd] }), {
      ...{ columns, rows, now },
    });
    expect(lines.length).toBeLessThanOrEqual(rows);
    expect(lines.length).toBeGreaterThan(0);
    expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(columns);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of these may reach the terminal
    expect(lines.join("")).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
  });

  it.each([
    [20, ["q end the run", "j/k select  l log"]],
    [60, ["q end the run  j/k select  l log  d diff  s stop  t take", "a answer"]],
    [80, ["q end the run  j/k select  l log  d diff  s stop  t take  a answer"]],
  ])("does not cut the label of a key in %i columns", (columns, expected) => {
    const keys = ["q end the run", "j/k select", "l log", "d diff", "s stop", "t take", "a answer"];
    const lines = drawRun(model([shown("T-001", "PENDING")], { keys }), { columns, rows: 24, now });
    expect(lines.slice(-expected.length)).toEqual(expected);
    expect(drawRun(model([], { keys }), { columns, rows: 12, now }).at(-1)).toBe(expected[0]);
  });

  it("shows a proof step as finished once the proof has ended", () => {
    const seen = (...states: ShownTask["state"][]) =>
      model(states.map((state, at) => shown(`T-${at}`, state)));
    expect(hasFinishedProving(seen("REVIEW"), seen("MERGED"))).toBe(true);
    expect(hasFinishedProving(seen("IN_PROGRESS"), seen("MERGED"))).toBe(true);
    expect(hasFinishedProving(seen("REVIEW"), seen("REJECTED"))).toBe(true);
    expect(hasFinishedProving(seen("REVIEW", "REVIEW"), seen("MERGED", "REVIEW"))).toBe(false);
    expect(hasFinishedProving(seen("IN_PROGRESS"), seen("REVIEW"))).toBe(false);
    expect(hasFinishedProving(seen("MERGED", "PENDING"), seen("MERGED", "IN_PROGRESS"))).toBe(false);
  });

  it("shows the end of a log, with the time of each line", () => {
    const text =
      "2026-08-01T10:00:00.123Z one\n2026-08-01T10:00:01.000Z two\n2026-08-01T10:00:02.000Z three\n";
    const frame = { columns: 40, rows: 4, now };
    expect(drawLog({ name: "T-001", text, keys: "esc back" }, frame)).toEqual([
      "T-001: the end of its log",
      `${clockTime("2026-08-01T10:00:01Z")} two`,
      `${clockTime("2026-08-01T10:00:02Z")} three`,
      "esc back",
    ]);
    expect(drawLog({ name: "T-001", text: undefined, keys: "esc back" }, frame)[1]).toBe("no output yet");
    expect(drawLog({ name: "T-001", text: "\n", keys: "esc back" }, frame)[1]).toBe("no output yet");
  });
});

describe("the width of a text on the terminal", () => {
  it.each([
    ["plain", 5],
    ["価格", 4],
    ["e\u0301", 1],
    ["👩‍👩‍👧", 2],
    ["✓ ✗ …", 5],
    ["한글", 4],
    ["\u3164", 0],
    ["\u302a", 0],
    ["\u2329\u232a", 4],
    ["︐", 2],
    ["\u{17000}", 2],
    ["㉈", 1],
    ["1️⃣", 2],
    ["🇩🇪", 2],
    ["👍🏽", 2],
  ])("of %s is %i", (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  it("is cut between whole characters", () => {
    expect(fitted("価格の丸め", 5)).toBe("価格…");
    expect(fitted("one two", 5)).toBe("one…");
    expect(fitted("abc", 0)).toBe("");
    expect(wrapped("one two three 価格の丸め", 9)).toEqual(["one two", "three", "価格の丸め"]);
  });

  it("of a number is short", () => {
    expect([0, 950, 1000, 1234, 9949, 35_000, 999_499, 999_500, 12_345_678].map(shortNumber)).toEqual(
      "0 950 1k 1.2k 9.9k 35k 999k 1M 12M".split(" "),
    );
  });
});

describe("a key", () => {
  const order = ["a", "b", "c"];
  const after = (keys: string, from: Looking = lookingAtTasks) => {
    let looking = from;
    const requests: unknown[] = [];
    for (const key of readKeys(keys)) {
      const next = pressKey(looking, key, order);
      looking = next.looking;
      if (next.request !== undefined) requests.push(next.request);
    }
    return { ...looking, requests };
  };

  it.each<[string, string, unknown]>([
    ["j selects the first task, then the next", "jj", { selected: "b" }],
    [
      "an arrow does the same, and stops at the ends",
      "\u001b[B\u001bOB\u001b[B\u001b[B\u001b[A",
      { selected: "b" },
    ],
    ["l shows the log of the selected task", "jjl", { selected: "b", page: "log" }],
    ["a answers the open question", "a", { selected: null, requests: [{ do: "answer" }] }],
    ["l without a selection takes the first task", "l", { selected: "a", page: "log" }],
    ["esc goes back", "l\u001b", { page: "tasks" }],
    ["q leaves a log, and not the run", "lq", { page: "tasks", requests: [] }],
    ["q after that only asks", "lqq", { page: "tasks", asked: "leave", requests: [{ do: "ask-leave" }] }],
    [
      "q pressed twice ends the run",
      "qq",
      { asked: null, requests: [{ do: "ask-leave" }, { do: "interrupt" }] },
    ],
    [
      "q does not end the run if j is between",
      "qjq",
      { requests: [{ do: "ask-leave" }, { do: "ask-leave" }] },
    ],
    ["Ctrl-C ends the run at once", "\u0003", { asked: null, requests: [{ do: "interrupt" }] }],
    ["Ctrl-C ends the run in a log too", "l\u0003", { requests: [{ do: "interrupt" }] }],
    ["j in a log shows the next one's", "lj", { selected: "b", page: "log" }],
    ["d shows the diff", "jd", { requests: [{ do: "diff", task: "a" }] }],
    ["a single s only asks", "js", { asked: "stop", requests: [{ do: "ask-stop", task: "a" }] }],
    [
      "s pressed twice stops the task",
      "jss",
      {
        asked: null,
        requests: [
          { do: "ask-stop", task: "a" },
          { do: "stop", task: "a" },
        ],
      },
    ],
    [
      "s does not stop the task if t is between",
      "jst",
      {
        asked: "take",
        requests: [
          { do: "ask-stop", task: "a" },
          { do: "ask-take", task: "a" },
        ],
      },
    ],
    [
      "s does not stop a task if another one was selected between",
      "jsjs",
      {
        asked: "stop",
        requests: [
          { do: "ask-stop", task: "a" },
          { do: "ask-stop", task: "b" },
        ],
      },
    ],
    ["without a meaning does nothing", "xyz\u001b[5~\r", { selected: null, page: "tasks", requests: [] }],
  ])("%s", (_title, keys, expected) => {
    expect(after(keys)).toMatchObject(expected as object);
  });

  it("has nothing to select if there are no tasks", () => {
    expect(pressKey(lookingAtTasks, "down", [])).toEqual({ looking: lookingAtTasks });
    expect(pressKey(lookingAtTasks, "stop", [])).toEqual({ looking: lookingAtTasks });
  });
});

/** Runs a program in a terminal, with `script` of util-linux. */
const [script, ...asTerminal] = ["script", "-qec"] as const;
const hasScript = spawnSync(script, [...asTerminal, "true", "/dev/null"]).status === 0;

describe.skipIf(!hasScript)("on a real terminal", () => {
  const agent = `steps:
  - say: "reading 価格"
  - sleep: 60
`;
  const planned = () =>
    landRepository({
      "agents/a.yaml": agent,
      ".gitignore": "state\n.agents-work\n",
      ".lockstep/config.yaml": "agents: { a: { adapter: script, run: [agents/a.yaml] } }\n",
      "tasks.yaml":
        'tasks:\n  - { id: A, goal: do it, lock_scope: [A.txt], acceptance_checks: ["cmd: test -e A.txt"] }\n',
    });
  const start = (path: string, line: string) =>
    startProgram([script, ...asTerminal, `stty cols 60 rows 12; ${line}`, "/dev/null"], {
      cwd: path,
      input: "later",
      env: { XDG_STATE_HOME: `${path}/.git/state`, CI: "", NO_COLOR: "1", TERM: "xterm" },
    });
  /** Waits for a text on the screen; returns everything that was drawn. */
  const follow = (running: ReturnType<typeof start>) => {
    const drawn: Buffer[] = [];
    running.process.stdout?.on("data", (chunk: Buffer) => drawn.push(chunk));
    return (text: string) =>
      eventually(text, () => (Buffer.concat(drawn).toString().includes(text) ? true : undefined));
  };
  const restored = "\u001b[?7h\u001b[?25h\u001b[?1049l";

  it("a run is drawn in place, keys work, and the terminal is restored", async () => {
    using repository = planned();
    using running = start(repository.path, `'${process.execPath}' '${command}' run; stty -a`);
    const stdin = running.process.stdin;
    const seen = follow(running);
    await seen("\u001b[?1049h\u001b[?25l");
    await seen("reading 価格");
    stdin?.write("l");
    await seen("A: the end of its log");
    stdin?.write("q");
    await seen("j/k select");
    stdin?.write("q");
    await seen("press q again to end the run");
    stdin?.write("q");
    await seen("No new task starts. Press q or Ctrl-C again");
    stdin?.write("q");
    const { stdout } = await running.ended;
    const [, after = ""] = stdout.split(restored);
    expect(after).toContain("stopped; all work is kept. To continue: `lockstep run`");
    expect(after).toMatch(/(?<!-)icanon/);
    expect(after).toMatch(/(?<!-)echo\b/);
  });

  it("the terminal is restored if the run is killed from outside", async () => {
    using repository = planned();
    using running = start(repository.path, `'${process.execPath}' '${command}' run; echo ended $?`);
    await follow(running)("reading 価格");
    const pid = await eventually(
      "its process",
      () => readHostRecord(join(repository.path, ".git/lockstep"))?.pid,
    );
    process.kill(pid, "SIGTERM");
    const [, after] = (await running.ended).stdout.split(restored);
    expect(after).toContain("stopped; all work is kept. To continue: `lockstep run`\r\nended 3");
  });

  it("output for a person stays until they have read it, even if the run has ended", async () => {
    using repository = planned();
    using running = start(repository.path, `'${process.execPath}' '${command}' run; echo ended $?`);
    const seen = follow(running);
    await seen("reading 価格");
    running.process.stdin?.write("tt");
    await seen("-- press Enter to go back --");
    await eventually("the end of the run", () =>
      readHostRecord(join(repository.path, ".git/lockstep")) === undefined ? true : undefined,
    );
    running.process.stdin?.write("\r");
    const { stdout } = await running.ended;
    const [, after = ""] = stdout.split("-- press Enter to go back --");
    expect(after).toMatch(/A {2}you took it over[\s\S]*ended 3/);
    expect(after).not.toContain("\u001b[?1049h");
  });

  it("a run that only watches shows that, and does not stop the other one", async () => {
    using repository = planned();
    using first = repository.start(["run"]);
    await eventually("its agent", () => (first.errors().includes("reading") ? true : undefined));
    using running = start(repository.path, `'${process.execPath}' '${command}' run; echo ended $?`);
    const seen = follow(running);
    await seen("q leave (the other run continues)");
    running.process.stdin?.write("q");
    const { stdout } = await running.ended;
    expect(stdout).toContain(`you left the run: process ${first.process.pid} continues with the tasks`);
    expect(stdout).toContain("ended 3");
    expect((await repository.run(["status"])).stdout).toContain("; isolation: ");
  });

  it.each([
    ["Ctrl-C", "\u0003"],
    ["q", "q"],
    ["esc", "\u001b"],
  ])("status --watch draws open questions first, until %s", async (_title, key) => {
    using repository = planned();
    await repository.run(["task", "add", "T-1", "--title", "Round prices"]);
    await repository.run(["task", "escalate", "T-1", "--reason", "which rounding?"]);
    using running = start(
      repository.path,
      `'${process.execPath}' '${command}' status --watch; echo ended $?`,
    );
    await follow(running)("q quits");
    running.process.stdin?.write(key);
    const { stdout } = await running.ended;
    expect(stdout.indexOf("waiting for you")).toBeLessThan(stdout.indexOf("TASK"));
    expect(stdout).toContain(restored);
    expect(stdout).toContain("ended 0");
  });
});
