import { describe, expect, it } from "vitest";
import { planSchema } from "../../contract/plan.ts";
import { worklogPath } from "./session-paths.ts";
import { sessionName } from "./slugs.ts";
import {
  agentKey,
  agentOfKey,
  concernsSession,
  idOfKey,
  isMeta,
  isOfSession,
  isSessionName,
  landedId,
  metaKey,
  originalOf,
  readTaskName,
  redoneId,
  sessionOfKey,
  taskKey,
} from "./task-name.ts";

const session = "2026-02-14_shop";
const long = (length: number) => `T${"x".repeat(length - 1)}`;

describe("the name of a task", () => {
  it.each([
    ["T-001", { key: "T-001", id: "T-001", session: null }],
    [" T-001\n", { key: "T-001", id: "T-001", session: null }],
    [`${session}/T_1`, { key: `${session}/T_1`, id: "T_1", session }],
    [long(100), { key: long(100), id: long(100), session: null }],
  ])("is read: %j", (text, name) => {
    expect(readTaskName(text)).toEqual(name);
  });

  it.each([
    ...["", "1", "T.1", "T 1", "é", "-T", long(101), "a/b/c", `${session}/`, "/T-1", "shop/T-1"],
    ...["2026-02-14_Shop/T-1", "2026-02-14_/T-1", `2026-02-14_${"x".repeat(90)}/T-1`],
  ])("is invalid: %j", (text) => {
    expect(readTaskName(text)).toMatchObject({ code: "R-IN-001", details: { field: "task_id" } });
  });

  it.each([
    ["T-001", true],
    [long(100), true],
    [long(101), false],
    ["metadata", true],
    ["meta", false],
    ["MeTa", false],
    ["T.1", false],
  ])("is allowed in a plan: %j %j", (id, isOne) => {
    const task = { id, goal: "x", acceptance_checks: ["cmd: true"] };
    expect(planSchema.safeParse({ tasks: [task] }).success).toBe(isOne);
  });

  it.each([null, session])("can be split into its parts again, in session %j", (of) => {
    const key = taskKey(of, "T-1");
    expect([sessionOfKey(key), idOfKey(key)]).toEqual([of, "T-1"]);
    expect(isOfSession(key, session)).toBe(of === session);
    expect(readTaskName(key)).toEqual({ key, id: "T-1", session: of });
  });

  it("of a session's internal task differs from all others", () => {
    expect(isMeta(metaKey(session))).toBe(true);
    expect(["meta", `${session}/metadata`, `${session}/T-meta`].filter(isMeta)).toEqual([]);
  });

  it("distinguishes questions about agents from tasks", () => {
    expect(agentOfKey(agentKey("coder"))).toBe("coder");
    expect(agentOfKey(`${session}/agent`)).toBeUndefined();
    const keys = [agentKey("coder"), `${session}/T-1`, `${session}-2/T-1`, "T-1"];
    expect(keys.filter((key) => concernsSession(key, session))).toEqual(keys.slice(0, 2));
  });

  it.each([
    ["T-001", "T-001-r1", "T-001-r2"],
    ["T-001-r1", "T-001-r1", "T-001-r2"],
    ["T-r", "T-r-r1", "T-r-r2"],
  ])("of %s when redone is numbered from the original", (id, first, second) => {
    expect([redoneId(id, 1), redoneId(id, 2)]).toEqual([first, second]);
    expect(originalOf(second)).toBe(originalOf(id));
  });

  it("is derived from a landed branch of any name", () => {
    expect(landedId("feature/x", 1)).toBe("land-feature-x");
    expect(landedId("feature/x", 2)).toBe("land-feature-x-2");
    for (const branch of ["é/ü", "x".repeat(300), "1"])
      expect(readTaskName(landedId(branch, 1000))).toMatchObject({ session: null });
  });
});

describe("the name of a session", () => {
  const day = new Date("2026-02-14T23:59:59Z");

  it.each([
    ["Größe ändern", 1, "2026-02-14_groesse-aendern"],
    ["shop", 3, "2026-02-14_shop-3"],
    ["価格", 1, "2026-02-14_plan"],
    [`${"a".repeat(39)} b`, 1, `2026-02-14_${"a".repeat(39)}`],
  ])("is made of its day and %j", (about, number, name) => {
    expect(sessionName(day, about, number)).toBe(name);
    expect(isSessionName(name)).toBe(true);
    expect(readTaskName(`${name}/T-1`)).toMatchObject({ session: name });
  });

  it("gives the path of its tasks' worklogs", () => {
    expect(worklogPath(session, "T-1")).toBe(`.agents-work/${session}/worklogs/T-1.md`);
    expect(worklogPath(null, "T-1")).toBe(".agents-work/worklogs/T-1.md");
  });
});
