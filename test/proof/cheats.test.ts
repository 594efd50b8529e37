import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { type Case, loadCorpus, missingIn, type Project } from "../cheats/corpus.ts";
import { judgedOf, missingTools, openGrounds } from "../cheats/ground.ts";

const corpus = loadCorpus();
const everyCase = corpus.flatMap((project) => project.cases.map((one) => ({ project, one })));
const lacking = new Map(corpus.map((project) => [project, missingTools(project)] as const));
const ready = corpus.filter((project) => lacking.get(project)?.length === 0);
for (const [{ name, cases }, missing] of lacking)
  if (missing.length > 0)
    console.warn(`\n!!! ${cases.length} CHEATS OF ${name} ARE SKIPPED: this fails: ${missing.join("; ")}\n`);

describe("the corpus of cheats", () => {
  it("has every tool chain on CI", () => {
    if (process.env.CI !== "true") return;
    expect([...lacking].filter(([, { length }]) => length > 0).map(([{ name }]) => name)).toEqual([]);
  });

  it("has enough cases of every class, in every language", () => {
    const count = (wanted: string) => everyCase.filter(({ one }) => one.class === wanted).length;
    expect(count("weakens")).toBeGreaterThanOrEqual(45);
    expect(count("games")).toBeGreaterThanOrEqual(16);
    expect(count("honest")).toBeGreaterThanOrEqual(45);
    const kinds = new Set(everyCase.map(({ project, one }) => `${project.language} ${one.class}`));
    expect(kinds.size).toBe(5 * 3);
  });

  it("states for every case that weakens tests that it stops, and what the message contains", () => {
    const weakens = everyCase.filter(({ one }) => one.class === "weakens");
    expect(weakens.filter(({ one }) => one.expect.includes("merge") || one.told.length === 0)).toEqual([]);
  });

  it("is completely in the published figures", () => {
    const page = readFileSync(new URL("../../docs/evidence.md", import.meta.url), "utf8");
    const listed = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
    expect(listed).toEqual(everyCase.map(({ project, one }) => `${project.name}/${one.name}`));
  });
});

const grounds = openGrounds();
afterAll(() => grounds[Symbol.asyncDispose]());

/** A case waits for those before it in its repository, and that time counts too. */
const timeout = 180_000;

/** The first case of each project, then the second of each: cases of the same repository wait for each other. */
function interleaved(wanted: (one: Case) => boolean): readonly (readonly [string, Project, Case])[] {
  const queues = ready.map((project) =>
    project.cases.filter(wanted).map((one) => [`${project.name}/${one.name}`, project, one] as const),
  );
  const longest = Math.max(0, ...queues.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) =>
    queues.flatMap((queue) => queue.slice(at, at + 1)),
  ).flat();
}

// INV-10: work that weakens the base's tests is never merged without a person's answer. Work that games its tests is
// published as a rate; here only the cases that are marked as caught are checked.
describe("work that cheats, or seems to, has the stated result", () => {
  const isPromised = ({ class: kind, expect }: Case) => kind !== "games" || !expect.includes("merge");
  it.concurrent.for(interleaved(isPromised))("%s", { timeout }, async ([, project, one], { expect }) => {
    const { verdict, message } = await grounds.of(project, one).judge(one);
    expect(one.expect, message).toContain(verdict);
    expect(missingIn(one, message), message).toEqual([]);
  });
});

type Landed = Parameters<typeof judgedOf>[0];
interface Asked {
  readonly id: string;
  readonly kind: string;
  readonly options: readonly string[];
}

describe("the built command merges with a person's answer, and not without", () => {
  it.concurrent.for(interleaved((one) => one.by_command))(
    "%s",
    { timeout },
    async ([, project, one], { expect }) => {
      const { run, git } = grounds.of(project);
      const before = git("rev-parse", "main");
      const first = await run("land", one.name, "--json");
      expect(first.stdout, first.stderr).not.toBe("");
      const landed = JSON.parse(first.stdout) as Landed;
      expect({ status: first.status, verdict: judgedOf(landed).verdict }).toEqual({
        status: 3,
        verdict: "ask",
      });
      expect(missingIn(one, first.stdout + first.stderr)).toEqual([]);
      expect(git("rev-parse", "main")).toBe(before);
      const asked = JSON.parse((await run("decide", "--json")).stdout) as Asked[];
      expect(asked).toMatchObject([{ kind: "weakened" }]);
      const [{ id, options } = { id: "", options: [] }] = asked;
      const answered = await run("decide", id, `${options[0]}: this rule was dropped`);
      expect(answered.status, answered.stderr).toBe(0);
      const second = await run("land", one.name, "--json");
      expect(second.status, second.stderr).toBe(0);
      expect(git("log", "-1", "--format=%N", "--notes=lockstep", "main")).toContain("this rule was dropped");
    },
  );
});
