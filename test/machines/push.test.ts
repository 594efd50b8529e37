import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sharedNotesRef } from "../../src/core/names/ref-names.ts";
import { fetchBase } from "../../src/run/landing/fresh-base.ts";
import { bareRemote } from "../support/bare-remote.ts";
import { checksByName, landRepository } from "../support/land-repository.ts";

const config = `remote: origin\nintegrate: push\n${checksByName}`;
const pushing = () => landRepository({ ".lockstep/config.yaml": config });

describe("integrate: push", () => {
  it("moves the base and the notes at the remote, and then the branch here", async () => {
    using repository = pushing();
    using remote = bareRemote(repository);
    const before = repository.git("rev-parse", "main");
    repository.branch("one", { "one.txt": "1\n" });
    const { status, stderr, landed } = await repository.land("one");
    expect(status, stderr).toBe(0);
    const moved = remote.ref("refs/heads/main");
    expect(landed).toMatchObject({ outcome: "merged", commit: moved });
    expect(remote.git("rev-parse", "main^1")).toBe(before);
    expect(repository.git("rev-parse", "main")).toBe(moved);
    expect(repository.git("rev-parse", "origin/main")).toBe(moved);
    expect(existsSync(join(repository.path, "one.txt"))).toBe(true);
    expect(repository.git("status", "--porcelain")).toBe("");
    for (const place of [remote, repository])
      expect(JSON.parse(place.git("notes", "--ref=lockstep", "show", "main"))).toMatchObject({
        task: "land-one",
      });
    expect(repository.git("for-each-ref", "refs/lockstep/remote/origin/next")).toBe("");
    expect((await repository.run(["reconcile"])).status).toBe(0);
  });

  it("tells which branches are merged if the remote fails before the others", async () => {
    using repository = pushing();
    using remote = bareRemote(repository);
    for (const name of ["one", "two"]) repository.branch(name, { [`${name}.txt`]: "1\n" });
    const moved = remote.git("commit-tree", "-p", "main", "-m", "by a person", "main^{tree}");
    // The first push loses against another one. After the second push, nothing can be read there any more.
    remote.hook(
      "pre-receive",
      `mkdir moved && env -u GIT_QUARANTINE_PATH git update-ref refs/heads/main ${moved}; :`,
    );
    remote.hook("post-receive", "mv objects gone");
    const { status, stderr, landed } = await repository.land("one", "two");
    expect(stderr).toContain("moved in the meantime");
    expect(status).toBe(3);
    expect(landed).toMatchObject({ outcome: "waiting", commit: repository.git("rev-parse", "main") });
    expect(landed.branches).toMatchObject([
      { branch: "one", outcome: "merged" },
      { branch: "two", outcome: "waiting" },
    ]);
  });
});

describe("the base of a remote", () => {
  it("is fetched by several processes while it moves", async () => {
    using repository = pushing();
    using remote = bareRemote(repository);
    const wanted = { name: "origin", base: "main", notes: sharedNotesRef("refs") };
    for (let round = 0; round < 3; round += 1) {
      const commit = remote.git("commit-tree", "-p", "main", "-m", `move ${round}`, "main^{tree}");
      remote.git("update-ref", "refs/heads/main", commit);
      const all = Array.from({ length: 6 }, () => fetchBase(repository.path, wanted));
      expect((await Promise.all(all)).map((found) => found.commit)).toEqual(all.map(() => commit));
    }
  });
});
