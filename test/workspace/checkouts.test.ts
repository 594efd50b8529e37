import { existsSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { collectWork } from "../../src/workspace/checkouts/collect-work.ts";
import { openCheckout } from "../../src/workspace/checkouts/open-checkout.ts";
import { removeCheckout } from "../../src/workspace/checkouts/remove-checkout.ts";
import { agentIn, agentRepository } from "../support/agent-checkout.ts";

describe("an agent's checkout", () => {
  it("is at the base on a branch of its own, without a remote or hooks, with the included files", async () => {
    using repository = agentRepository({ "a.txt": "a\n", ".gitignore": ".env\n" });
    repository.write(".env", "A=1\n");
    const { checkout, notes } = await repository.open();
    const { git } = agentIn(checkout);
    expect(notes).toEqual([]);
    expect(git("rev-parse", "HEAD")).toBe(repository.base);
    expect(git("symbolic-ref", "HEAD")).toBe("refs/heads/lockstep/T-1");
    expect(git("status", "--porcelain")).toBe("");
    expect(git("remote")).toBe("");
    expect(git("for-each-ref", "--format=%(refname)")).toBe("refs/heads/lockstep/T-1");
    expect(existsSync(join(checkout.folder, ".git", "hooks"))).toBe(false);
    expect(readFileSync(join(checkout.folder, ".env"), "utf8")).toBe("A=1\n");
    expect(statSync(checkout.temporary).mode & 0o777).toBe(0o700);
  });

  it("lets agents commit with the repository's author, even if that is configured only there", async () => {
    using repository = agentRepository();
    repository.git("config", "user.name", 'Zoë "Z" \\ Å');
    repository.git("config", "user.email", "z@localhost");
    for (const task of ["T-1", "T-2"]) {
      const agent = agentIn((await repository.open({ task })).checkout);
      agent.run("env", "HOME=/nowhere", "git", "commit", "-q", "--allow-empty", "-m", "mine");
      expect(agent.git("show", "-s", "--format=%an <%ae>")).toBe('Zoë "Z" \\ Å <z@localhost>');
    }
  });

  it("keeps commits, branches and pushes out of the repository", async () => {
    using repository = agentRepository();
    const { checkout } = await repository.open();
    const before = repository.git("for-each-ref");
    const agent = agentIn(checkout);
    agent.write("a.txt", "b\n");
    agent.git("commit", "-qam", "mine");
    agent.git("branch", "-f", "main");
    expect(() => agent.git("push")).toThrow();
    expect(repository.git("for-each-ref")).toBe(before);
    expect(repository.git("status", "--porcelain")).toBe("");
  });

  it("survives a garbage collection of the repository, even if its base is on no branch", async () => {
    using repository = agentRepository();
    repository.git("commit", "-q", "--allow-empty", "-m", "loose");
    const base = repository.git("rev-parse", "HEAD");
    const { checkout } = await repository.open({ base });
    repository.git("reset", "-q", "--hard", repository.base);
    repository.git("reflog", "expire", "--expire=now", "--all");
    repository.git("gc", "-q", "--prune=now");
    expect(agentIn(checkout).git("log", "--format=%s")).toBe("loose\nbase");
  });

  it("has none of the repository's refs, even if there are many", async () => {
    using repository = agentRepository();
    const refs = Array.from({ length: 20_000 }, (_, at) => `${repository.base} refs/tags/t${at}\n`).sort();
    writeFileSync(
      join(repository.commonFolder, "packed-refs"),
      `# pack-refs with: sorted \n${refs.join("")}`,
    );
    expect(repository.git("tag").split("\n")).toHaveLength(20_000);
    const { checkout } = await repository.open();
    expect(agentIn(checkout).git("for-each-ref").split("\n")).toHaveLength(1);
    expect(existsSync(join(checkout.folder, ".git", "packed-refs"))).toBe(false);
  });

  it("is reused by the next attempt with its content and its own base", async () => {
    using repository = agentRepository();
    const first = await repository.open();
    agentIn(first.checkout).write("new.txt", "half done\n");
    repository.git("commit", "-q", "--allow-empty", "-m", "newer");
    const second = await repository.open({ attempt: 2, base: repository.git("rev-parse", "HEAD") });
    expect(second).toMatchObject({ notes: [], checkout: { attempt: 2, base: repository.base } });
    expect(readFileSync(join(second.checkout.folder, "new.txt"), "utf8")).toBe("half done\n");
    expect(repository.git("rev-parse", "refs/lockstep/base/none/T-1/2")).toBe(repository.base);
  });

  it.each(["tree", "tree/.git", "tree/.git/HEAD", "tree/.git/objects", "."])(
    "that lost `%s` is created again from the collected work",
    async (part) => {
      using repository = agentRepository();
      const { checkout } = await repository.open();
      agentIn(checkout).write("a.txt", "work\n");
      await collectWork(checkout);
      rmSync(join(dirname(checkout.folder), part), { recursive: true });
      const again = await repository.open({ attempt: 2 });
      expect(again.notes).toEqual([
        "the checkout of `T-1` was missing or damaged: created again from `refs/lockstep/none/T-1/1`",
      ]);
      expect(again.checkout.base).toBe(repository.base);
      expect(agentIn(again.checkout).git("status", "--porcelain")).toBe("");
      expect(readFileSync(join(again.checkout.folder, "a.txt"), "utf8")).toBe("work\n");
      expect(await collectWork(again.checkout)).toMatchObject({ changed: [{ path: "a.txt" }] });
    },
  );

  it("that was lost before any work was collected starts from the base", async () => {
    using repository = agentRepository();
    const { checkout } = await repository.open();
    rmSync(checkout.folder, { recursive: true });
    const again = await repository.open();
    expect(again.notes).toEqual([
      `the checkout of \`T-1\` was missing or damaged: created again from \`${repository.base}\``,
    ]);
    expect(readFileSync(join(again.checkout.folder, "a.txt"), "utf8")).toBe("a\n");
  });

  it("that is damaged is created again only after its remains were kept", async () => {
    using repository = agentRepository();
    const { checkout } = await repository.open();
    agentIn(checkout).write("precious.txt", "only here\n");
    rmSync(join(checkout.folder, ".git"), { recursive: true });
    const { notes } = await repository.open();
    const ref = /are on `([^`]+)`/.exec(notes[1] ?? "")?.[1] ?? "";
    expect(repository.git("show", `${ref}:precious.txt`)).toBe("only here");
  });

  it("that is unfinished is not used", async () => {
    using repository = agentRepository();
    const { checkout } = await repository.open();
    await removeCheckout(checkout);
    const half = join(dirname(checkout.folder), "making");
    repository.git("init", "-q", half);
    const { notes } = await repository.open();
    expect(notes).toEqual([]);
    expect(existsSync(half)).toBe(false);
    expect(existsSync(join(checkout.folder, "a.txt"))).toBe(true);
  });

  it("is made and read even if a killed git left a lock on Lockstep's index", async () => {
    using repository = agentRepository({ "a.txt": "a\n" });
    const { checkout } = await repository.open();
    const lock = join(dirname(checkout.folder), "index.lock");
    writeFileSync(lock, "");
    agentIn(checkout).write("a.txt", "changed\n");
    expect(await collectWork(checkout)).toMatchObject({ changed: [{ path: "a.txt" }] });
    rmSync(checkout.folder, { recursive: true });
    writeFileSync(lock, "");
    await repository.open();
    expect(existsSync(lock)).toBe(false);
  });

  it("starts from the base after it was removed", async () => {
    using repository = agentRepository();
    const { checkout } = await repository.open();
    agentIn(checkout).write("a.txt", "work\n");
    await collectWork(checkout);
    await removeCheckout(checkout);
    const { notes } = await repository.open({ attempt: 2 });
    expect(notes).toEqual([]);
    expect(readFileSync(join(checkout.folder, "a.txt"), "utf8")).toBe("a\n");
  });

  it("reports the stale lock of a dead git that it removed", async () => {
    using repository = agentRepository();
    const { checkout } = await repository.open();
    const lock = join(checkout.folder, ".git", "index.lock");
    writeFileSync(lock, "");
    const { notes } = await repository.open({ attempt: 2 });
    expect(notes).toEqual([`removed the stale lock \`${lock}\` of a git that has ended`]);
    expect(existsSync(lock)).toBe(false);
  });

  it.each([
    ["T-1", "T_1"],
    ["a b", "a_b"],
    ["../x", "x"],
    ["ü", "ö"],
    ["x.lock", "x"],
    ["@{", "-x"],
  ])("of task `%s` differs from that of `%s`", async (one, other) => {
    using repository = agentRepository();
    const first = await repository.open({ task: one });
    const second = await repository.open({ task: other, session: "2026-01-01_x" });
    const third = await repository.open({ task: other });
    const folders = [first, second, third].map(({ checkout }) => checkout.folder);
    expect(new Set(folders).size).toBe(3);
    expect(folders.every((folder) => folder.startsWith(join(repository.commonFolder, "state")))).toBe(true);
    for (const { checkout } of [first, second, third]) {
      agentIn(checkout).write("a.txt", checkout.folder);
      expect(await collectWork(checkout)).toMatchObject({ changed: [{ path: "a.txt" }] });
    }
  });

  it("is refused in the working tree of a repository", async () => {
    using repository = agentRepository();
    process.env.XDG_STATE_HOME = join(repository.path, "state");
    await expect(repository.open()).rejects.toThrow(
      `checkouts would be inside the working tree \`${repository.path}\`: set XDG_STATE_HOME`,
    );
  });

  it("whose folder was replaced by a link is neither opened, read nor removed", async () => {
    using repository = agentRepository();
    const { checkout } = await repository.open();
    renameSync(checkout.folder, `${checkout.folder}-moved`);
    symlinkSync(repository.path, checkout.folder);
    const refusal = `\`${checkout.folder}\` is a link or a file, but a checkout belongs there: move it away`;
    await expect(repository.open()).rejects.toThrow(refusal);
    await expect(collectWork(checkout)).rejects.toThrow(refusal);
    await expect(removeCheckout(checkout)).rejects.toThrow(refusal);
    expect(existsSync(join(repository.path, "a.txt"))).toBe(true);
  });

  it("gets a copy of an included folder, which is not part of its work", async () => {
    using repository = agentRepository();
    repository.write("node_modules/a/index.js", "1\n");
    repository.write("keys/one", "1\n");
    const { checkout } = await repository.open({ include: ["node_modules", "keys"] });
    expect(Object.keys(checkout.included)).toEqual(["keys/one"]);
    for (const path of ["node_modules/a/index.js", "keys/one"])
      expect(readFileSync(join(checkout.folder, path), "utf8")).toBe("1\n");
    writeFileSync(join(checkout.folder, "keys/two"), "2\n");
    const work = await collectWork(checkout);
    expect(JSON.stringify(work)).not.toContain("keys/one");
  });

  it("gets no copy of a file through a link that leads out of it", async () => {
    using repository = agentRepository();
    symlinkSync(join(repository.path, ".git"), join(repository.path, "config"));
    repository.git("add", "config");
    repository.git("commit", "-qm", "link");
    repository.write(".git/planted", "x");
    const base = repository.git("rev-parse", "HEAD");
    const { checkout } = await repository.open({ base, include: ["config/planted"] });
    expect(checkout.included).toEqual({});
    rmSync(join(repository.commonFolder, "planted"));
    rmSync(join(repository.path, "config"));
    repository.write("config/planted", "x");
    const opening = openCheckout({
      ...checkout,
      task: "T-2",
      root: repository.path,
      include: ["config/planted"],
    });
    await expect(opening).rejects.toThrow("`config/planted` in `workspace.include` lies behind a link");
    expect(existsSync(join(repository.commonFolder, "planted"))).toBe(false);
  });
});
