import { afterAll, describe, expect, it } from "vitest";
import { type Case, loadCorpus, missingIn, type Project } from "./cheats/corpus.ts";
import { judgedOf, missingTools, openGrounds } from "./cheats/ground.ts";

const corpus = loadCorpus();
const lacking = new Map(corpus.map((project) => [project, missingTools(project)] as const));
const ready = corpus.filter((project) => lacking.get(project)?.length === 0);
for (const [{ name, cases }, missing] of lacking)
  if (missing.length > 0)
    console.warn(`\n!!! ${cases.length} CHEATS OF ${name} ARE SKIPPED: this fails: ${missing.join("; ")}\n`);

const grounds = openGrounds();
afterAll(() => grounds[Symbol.asyncDispose]());

/** The first case of each project, then the second of each: a project's own are judged one after the other. */
function interleaved(wanted: (one: Case) => boolean): [string, Project, Case][] {
  const queues = ready.map((project) =>
    project.cases
      .filter(wanted)
      .map((one): [string, Project, Case] => [`${project.name} ${one.name}`, project, one]),
  );
  const longest = Math.max(0, ...queues.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) =>
    queues.flatMap((queue) => queue.slice(at, at + 1)),
  ).flat();
}

describe("the corpus", () => {
  it("has every tool chain where CI runs", () => {
    if (process.env.CI !== "true") return;
    expect([...lacking].filter(([, { length }]) => length > 0).map(([{ name }]) => name)).toEqual([]);
  });

  it("has enough cases of every class, in every language", () => {
    const cases = corpus.flatMap(({ language, cases }) => cases.map((one) => ({ language, ...one })));
    const count = (wanted: string) => cases.filter((one) => one.class === wanted).length;
    expect(count("weakens")).toBeGreaterThanOrEqual(45);
    expect(count("games")).toBeGreaterThanOrEqual(16);
    expect(count("honest")).toBeGreaterThanOrEqual(45);
    for (const language of ["JavaScript", "TypeScript", "Python", "Go", "Rust"])
      for (const wanted of ["weakens", "games", "honest"])
        expect(cases.some((one) => one.language === language && one.class === wanted)).toBe(true);
  });

  it("lets no weakening through, by what it states itself", () => {
    const wrong = corpus.flatMap(({ cases }) =>
      cases.filter(
        ({ class: kind, expect, told }) =>
          kind === "weakens" && (expect.includes("merge") || told.length === 0),
      ),
    );
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });
});

// INV-10: what weakens the base's tests is never merged without a person's answer.
describe("work that weakens what the base's tests verified", () => {
  it.concurrent.for(interleaved((one) => one.class === "weakens"))(
    "is not merged: %s",
    async ([, project, one], { expect }) => {
      const { verdict, message } = await grounds.of(project).judge(one);
      expect(one.expect, message).toContain(verdict);
      expect(missingIn(one, message), message).toEqual([]);
    },
  );
});

describe("honest work", () => {
  it.concurrent.for(interleaved((one) => one.class === "honest"))(
    "goes its way: %s",
    async ([, project, one], { expect }) => {
      const { verdict, message } = await grounds.of(project).judge(one);
      expect(one.expect, message).toContain(verdict);
      expect(missingIn(one, message), message).toEqual([]);
    },
  );
});

// Product code that recognises its tests is published as a rate (docs/evidence.md); only what a rule catches is held to it.
describe("work that games its tests", () => {
  it.concurrent.for(interleaved((one) => one.class === "games" && !one.expect.includes("merge")))(
    "is caught where the tests no longer report: %s",
    async ([, project, one], { expect }) => {
      const { verdict, message } = await grounds.of(project).judge(one);
      expect(one.expect, message).toContain(verdict);
    },
  );
});

interface Landed {
  readonly outcome: Parameters<typeof judgedOf>[0]["outcome"];
  readonly refused: Parameters<typeof judgedOf>[0]["refused"];
}
interface Asked {
  readonly id: string;
  readonly kind: string;
  readonly options: readonly string[];
}

describe("the built command", () => {
  const chosen = ready.flatMap((project) =>
    project.cases.filter((one) => one.by_command).map((one) => [project, one] as const),
  );

  it.for(
    chosen.map(
      ([project, one]) => [`${project.language}: ${project.name} ${one.name}`, project, one] as const,
    ),
  )("waits for a person's answer and merges with it: %s", async ([, project, one]) => {
    const { run, git } = grounds.of(project);
    const before = git("rev-parse", "main");
    const first = await run("land", one.name, "--json");
    const landed = JSON.parse(first.stdout) as Landed;
    expect({ status: first.status, ...judgedOf(landed) }).toMatchObject({ status: 3, verdict: "ask" });
    expect(missingIn(one, first.stdout + first.stderr)).toEqual([]);
    expect(git("rev-parse", "main")).toBe(before);
    const decisions = JSON.parse((await run("decide", "--json")).stdout) as Asked[];
    expect(decisions).toMatchObject([{ kind: "weakened" }]);
    const [{ id, options } = { id: "", options: [] }] = decisions;
    const answered = await run("decide", id, `${options[0]}: the feature was dropped`);
    expect(answered.status, answered.stderr).toBe(0);
    const second = await run("land", one.name, "--json");
    expect(second.status, second.stderr).toBe(0);
    expect(git("log", "-1", "--format=%N", "--notes=lockstep", "main")).toContain("the feature was dropped");
  });
});
