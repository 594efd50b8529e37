import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  beforeRef,
  branchOf,
  holdsIgnored,
  isKeptOrIgnored,
  provenRef,
  refsOf,
  refsOfTask,
  replacedRef,
  sharedNotesRef,
  sharedRef,
  unpushedRef,
  workOfUnpushed,
} from "./ref-names.ts";

const partsOf = (ref: string) => ref.split("/");

/** The rules of git-check-ref-format(1) that matter here, and the limits of a file name. */
function isRefName(ref: string): boolean {
  return partsOf(ref).every(
    (part) => /^[A-Za-z0-9_%-]+$/.test(part) && part.length <= 250 && !part.endsWith(".lock"),
  );
}

describe("the names of a task's refs", () => {
  it.each([1, 59, 60, 61, 99, 100])(
    "are its id for every id that a plan may have: %i characters",
    (length) => {
      const id = `T${"x".repeat(length - 1)}`;
      const session = "2026-02-14_shop";
      expect(branchOf(id)).toBe(`lockstep/${id}`);
      expect(refsOf({ session, task: id, attempt: 2 })).toEqual({
        base: `refs/lockstep/base/${session}/${id}/2`,
        work: `refs/lockstep/${session}/${id}/2`,
        kept: `refs/lockstep/${session}/${id}/2-kept`,
        ignored: `refs/lockstep/${session}/${id}/2-ignored`,
      });
      expect(replacedRef(id, "0123456789abcdef")).toBe(`refs/lockstep/replaced/${id}/0123456789ab`);
    },
  );

  it.each([
    ["T.1", "lockstep/T%2E1"],
    ["feature/x", "lockstep/feature%2Fx"],
    ["a.lock", "lockstep/a%2Elock"],
    ["é", "lockstep/%C3%A9"],
    ["100%", "lockstep/100%25"],
    ["", "lockstep/%-cbf29ce484222325"],
  ])("of %j are valid in git", (id, branch) => {
    expect(branchOf(id)).toBe(branch);
  });

  it("are valid and differ if the ids differ, for long and unusual ids too", () => {
    const odd = fc.string({ unit: fc.constantFrom("a", "A", "/", ".", "%", "-", " ", "2", "E", "é", "~") });
    const long = odd.map((text) => text.padEnd(300, "é"));
    const id = fc.oneof(
      odd,
      long,
      odd.map(branchOf),
      long.map((text) => branchOf(text).slice(9)),
    );
    fc.assert(
      fc.property(id, id, (one, other) => {
        for (const name of [branchOf, provenRef, (text: string) => beforeRef(text, 1)]) {
          expect(isRefName(name(one))).toBe(true);
          expect(name(one) === name(other)).toBe(one === other);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    "none",
    "base",
    "before",
    "replaced",
    "proven",
    "put-back",
    "rolled-back",
    "integration",
    "remote",
    "unpushed",
    "probe",
  ])("of a session called %s are not Lockstep's own", (session) => {
    const { made } = refsOfTask({ session, task: "A" });
    expect(partsOf(made)[2]).toBe(`%-${session}`);
  });

  it("show whether they hold kept or ignored work, for every task name", () => {
    for (const task of ["A", "A-kept", "A-ignored"]) {
      const { base, work, kept, ignored } = refsOf({ session: null, task, attempt: 1 });
      expect([base, work, kept, `${kept}/0123456789ab`, ignored].map(isKeptOrIgnored)).toEqual([
        ...[false, false, true, true, true],
      ]);
      expect([base, work, kept, ignored].map(holdsIgnored)).toEqual([false, false, false, true]);
    }
  });

  it("of an id with a folder are never below the refs of another id", () => {
    expect(`${beforeRef("a/5", 7)}/`.startsWith(`${beforeRef("a", 5)}/`)).toBe(false);
  });
});

describe("the names of refs at a remote", () => {
  const { work } = refsOf({ session: "2026-02-14_shop", task: "T.1", attempt: 2 });

  it("are the same as in the repository, or branch names", () => {
    expect(sharedRef(work, "refs")).toBe("refs/lockstep/2026-02-14_shop/T%2E1/2");
    expect(sharedRef(work, "heads")).toBe("refs/heads/lockstep/2026-02-14_shop/T%2E1/2");
    expect(sharedNotesRef("refs")).toBe("refs/notes/lockstep");
    expect(sharedNotesRef("heads")).toBe("refs/heads/lockstep/%-notes");
  });

  it("lead from unpushed work to its work ref", () => {
    expect(unpushedRef(work)).toBe("refs/lockstep/unpushed/2026-02-14_shop/T%2E1/2");
    expect(workOfUnpushed(unpushedRef(work))).toBe(work);
  });
});
