import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
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
});
