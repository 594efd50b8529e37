import { expect, it } from "vitest";
import { bareRemote } from "../support/bare-remote.ts";
import { checksByName, landRepository } from "../support/land-repository.ts";

const onlyBranches = `while read old new ref; do
  case $ref in refs/heads/*) ;; *) echo "no custom refs here" >&2; exit 1 ;; esac
done`;

it("doctor tests the remote with a push that it deletes again, and names the settings to change", async () => {
  using repository = landRepository({
    ".lockstep/config.yaml": `remote: origin\nintegrate: push\n${checksByName}`,
  });
  const remoteIn = async () => {
    const { findings } = JSON.parse((await repository.run(["doctor", "--json"])).stdout);
    return findings.find(({ what }: { what: string }) => what === "remote");
  };
  expect(await remoteIn()).toMatchObject({ state: "broken", fix: "`git remote add origin URL`" });
  using remote = bareRemote(repository);
  const before = remote.git("for-each-ref");
  expect(await remoteIn()).toMatchObject({
    state: "ok",
    detail: expect.stringContaining("`integrate: pr`"),
  });
  remote.hook("pre-receive", onlyBranches);
  expect(await remoteIn()).toMatchObject({
    state: "broken",
    detail: expect.stringContaining("no custom refs here"),
    fix: "set `transport: heads` in .lockstep/config.yaml",
  });
  remote.hook("pre-receive", "exit 1");
  expect(await remoteIn()).toMatchObject({
    state: "broken",
    fix: expect.stringContaining("`integrate: pr`"),
  });
  expect(remote.git("for-each-ref")).toBe(before);
});
