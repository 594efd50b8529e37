import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checksByName, type LandRepository, landRepository } from "../support/land-repository.ts";

/** Records its calls; knows a pull request once it has created one. */
const gh = `#!/bin/sh
here=$(dirname "$0")
echo "$@" >> "$here/calls"
case "$2" in
  view) test -e "$here/made" && echo https://127.0.0.1/pull/1 || exit 1 ;;
  create) cat > "$here/body"; touch "$here/made"; echo https://127.0.0.1/pull/1 ;;
  edit) cat > "$here/body" ;;
esac
`;

const installed = spawnSync("gh", ["--version"]).status === 0;
if (installed) console.warn("\n!!! SKIPPED: what happens without `gh`, because there is one here\n");

function withRemote({ program = true } = {}): LandRepository & { env: { PATH: string } } {
  const repository = landRepository({
    ".lockstep/config.yaml": `${checksByName}integrate: pr\n`,
    ".gitignore": "state\n",
  });
  execFileSync("git", ["init", "-q", "--bare", join(repository.path, "state/remote.git")]);
  repository.git("remote", "add", "origin", join(repository.path, "state/remote.git"));
  repository.git("push", "-q", "origin", "main");
  repository.write("state/bin/calls", "");
  if (program) {
    repository.write("state/bin/gh", gh);
    chmodSync(join(repository.path, "state/bin/gh"), 0o755);
  }
  repository.branch("work", { "f.js": "exports.f = 2;\n" });
  return { ...repository, env: { PATH: `${join(repository.path, "state/bin")}:${process.env.PATH}` } };
}

const read = (repository: LandRepository, name: string) =>
  readFileSync(join(repository.path, "state/bin", name), "utf8");
const remote = (repository: LandRepository, ...words: string[]) =>
  repository.git("-C", join(repository.path, "state/remote.git"), ...words);

describe("integrate: pr", () => {
  it("pushes the proven branch and opens one pull request with the proof as its text", async () => {
    using repository = withRemote();
    const before = repository.git("rev-parse", "main");
    const run = () => repository.run(["land", "work", "--json"], { env: repository.env });
    const first = await run();
    expect(JSON.parse(first.stdout), first.stderr).toMatchObject({
      outcome: "proposed",
      url: "https://127.0.0.1/pull/1",
    });
    expect(first.status).toBe(0);
    expect(remote(repository, "rev-parse", "work")).toBe(repository.git("rev-parse", "work"));
    expect(remote(repository, "rev-parse", "main")).toBe(before);
    expect(repository.git("rev-parse", "main")).toBe(before);
    expect(read(repository, "body")).toContain("| ` node test/f.test.js ` | exit 0 | exit 0 | pass |");
    expect(read(repository, "calls")).toContain("pr create --base main --head work --title change work");
    expect((await run()).status).toBe(0);
    expect(read(repository, "calls").match(/pr create/g)).toHaveLength(1);
    expect(read(repository, "calls")).toContain("pr edit work");
  });

  it("proposes a remote branch under its own name, and a commit under a generated name", async () => {
    using repository = withRemote();
    const commit = repository.git("rev-parse", "work");
    repository.git("push", "-q", "origin", "work");
    repository.git("fetch", "-q", "origin");
    repository.git("branch", "-q", "-D", "work");
    for (const name of ["origin/work", commit])
      expect((await repository.run(["land", name], { env: repository.env })).status, name).toBe(0);
    expect(read(repository, "calls")).toContain("--head work ");
    expect(remote(repository, "rev-parse", "work", `land-${commit.slice(0, 12)}`)).toBe(
      `${commit}\n${commit}`,
    );
  });

  it("proves each of several alone, because they are merged one by one", async () => {
    using repository = withRemote();
    repository.branch("lib", { "lib.js": "exports.x = 1;\n" });
    repository.branch("user", { "test/f.test.js": 'require("../lib.js");\n' });
    const { stdout } = await repository.run(["land", "lib", "user", "--json"], { env: repository.env });
    const { branches } = JSON.parse(stdout) as { branches: { branch: string; outcome: string }[] };
    expect(branches.map(({ branch, outcome }) => `${branch} ${outcome}`)).toEqual([
      "lib proposed",
      "user refused",
    ]);
  });

  it("escapes Markdown in file names", async () => {
    using repository = withRemote();
    repository.branch("odd", { "test/a` **APPROVED** `.test.js": `${["it", "skip"].join(".")}("x");\n` });
    repository.write(".lockstep/config.yaml", "integrate: pr\ntests: { weaken: allow }\n");
    expect((await repository.run(["land", "odd"], { env: repository.env })).status).toBe(0);
    expect(read(repository, "body")).toContain("`` test/a` **APPROVED** `.test.js ``");
  });

  it("does not push refused work", async () => {
    using repository = withRemote();
    repository.branch("bad", { "f.js": "exports.f = 3;\n" });
    expect((await repository.run(["land", "bad"], { env: repository.env })).status).toBe(2);
    expect(remote(repository, "branch", "--list", "bad")).toBe("");
    expect(read(repository, "calls")).toBe("");
  });

  it("does not force-push: a branch that diverged on the remote waits for a person", async () => {
    using repository = withRemote();
    repository.git("push", "-q", "origin", "work");
    repository.git("branch", "-f", "work", "main");
    repository.branch("other", { "g.js": "1;\n" });
    repository.git("branch", "-f", "work", "other");
    const { status, stderr } = await repository.run(["land", "work"], { env: repository.env });
    expect({ status, stderr }).toEqual({ status: 3, stderr: expect.stringContaining("`git push` failed") });
  });

  it.skipIf(installed)("without gh prints the proof for manual use", async () => {
    using repository = withRemote({ program: false });
    const { status, stderr } = await repository.run(["land", "work"], { env: repository.env });
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringContaining("Verified by Lockstep"),
    });
    expect(remote(repository, "rev-parse", "work")).toBe(repository.git("rev-parse", "work"));
  });

  it("without a remote reports that before any check runs", async () => {
    using repository = withRemote();
    repository.git("remote", "remove", "origin");
    const { status, stderr } = await repository.run(["land", "work"], { env: repository.env });
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining("E-CONFIG") });
    expect(stderr).not.toContain("npm test");
  });
});
