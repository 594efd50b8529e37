import { describe, expect, it } from "vitest";
import { type KeptRef, needlessRefs } from "./needless-refs.ts";

const day = 24 * 60 * 60_000;
const kept = (ref: string, object = ref, ms: number | null = 0): KeptRef => ({
  ref: `refs/lockstep/${ref}`,
  object,
  ms,
});
const session = "2026-01-01_shop";
const finished = [{ id: "A", session, key: `${session}/A` }];
const needless = (...refs: readonly KeptRef[]) =>
  needlessRefs(refs, finished, day).map(({ ref }) => ref.slice("refs/lockstep/".length));

describe("refs that are no longer needed", () => {
  it.each([
    `${session}/A/1`,
    `${session}/A/2-kept/0123456789ab`,
    `${session}/A/2-ignored`,
    `base/${session}/A/1`,
    "before/2026-01-01_shop%2FA/7",
    "rolled-back/2026-01-01_shop%2FA/7",
  ])("include all of a finished task: %s", (ref) => {
    expect(needless(kept(ref))).toEqual([ref]);
  });

  it.each([
    `${session}/A-2/1`,
    `${session}/B/1`,
    "2026-01-02_shop/A/1",
    "none/A/1",
    "put-back/batch",
    "integration/1-2-3",
    "replaced/A/0123456789ab",
  ])("exclude those of another task, a process or a person: %s", (ref) => {
    expect(needless(kept(ref))).toEqual([]);
  });

  it("include copies of finished work on a replaced branch", () => {
    expect(needless(kept(`${session}/A/1`, "work"), kept("replaced/A/x", "work"))).toEqual([
      `${session}/A/1`,
      "replaced/A/x",
    ]);
    expect(needless(kept(`${session}/B/1`, "work"), kept("replaced/B/x", "work"))).toEqual([]);
  });

  it.each(["proven", "strayed/T-1", "strayed/none"])(
    "include old proofs of branches that were not merged and old copies of reverted writes: %s",
    (folder) => {
      const [old, young] = [kept(`${folder}/x`, "x", day - 1), kept(`${folder}/y`, "y", day)];
      expect(needless(old, young)).toEqual([`${folder}/x`]);
    },
  );
});
