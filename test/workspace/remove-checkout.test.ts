import { execFileSync, execSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { digestOf } from "../../src/workspace/checkouts/checkout.ts";
import { collectWork } from "../../src/workspace/checkouts/collect-work.ts";
import { rememberCopied } from "../../src/workspace/checkouts/copied-files.ts";
import { keepEverything } from "../../src/workspace/checkouts/keep-everything.ts";
import { listCheckouts } from "../../src/workspace/checkouts/list-checkouts.ts";
import { removeCheckout } from "../../src/workspace/checkouts/remove-checkout.ts";
import { agentIn, agentRepository } from "../support/agent-checkout.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

async function checkedOut(files: Readonly<Record<string, string>> = { "a.txt": "a\n" }) {
  const repository = agentRepository(files);
  const { checkout } = await repository.open();
  return { ...repository, checkout, agent: agentIn(checkout) };
}

describe("a removed checkout", () => {
  it("without changes leaves nothing behind", async () => {
    using work = await checkedOut();
    const before = work.git("for-each-ref", "refs/heads");
    expect(await removeCheckout(work.checkout)).toEqual([]);
    expect(existsSync(dirname(work.checkout.folder))).toBe(false);
    await expect.poll(() => readdirSync(dirname(dirname(work.checkout.folder)))).toEqual([]);
    expect(work.git("for-each-ref")).toBe(before);
  });

  it("leaves its uncommitted work on a ref, and shows the command to restore it", async () => {
    using work = await checkedOut();
    work.agent.write("a.txt", "changed\n");
    work.agent.write("new.txt", "new\n");
    const [kept, ...more] = await removeCheckout(work.checkout);
    expect(more).toEqual([]);
    execSync(kept?.command ?? "", { cwd: work.path, stdio: "ignore" });
    expect(readFileSync(join(work.path, "new.txt"), "utf8")).toBe("new\n");
    expect(readFileSync(join(work.path, "a.txt"), "utf8")).toBe("changed\n");
  });

  it("names earlier collected work once", async () => {
    using work = await checkedOut();
    work.agent.write("a.txt", "changed\n");
    await collectWork(work.checkout);
    expect((await removeCheckout(work.checkout)).map(({ ref }) => ref)).toEqual(["refs/lockstep/none/T-1/1"]);
  });

  it.each([
    ["edited", (agent: ReturnType<typeof agentIn>) => agent.write("a.txt", "once more\n")],
    ["added", (agent: ReturnType<typeof agentIn>) => agent.write("new/b.txt", "b\n")],
    ["made executable", (agent: ReturnType<typeof agentIn>) => agent.run("chmod", "+x", "a.txt")],
    ["deleted", (agent: ReturnType<typeof agentIn>) => agent.remove("a.txt")],
  ])("keeps on a ref of its own what was %s after the work was collected", async (_how, change) => {
    using work = await checkedOut();
    work.agent.write("a.txt", "changed\n");
    await collectWork(work.checkout);
    change(work.agent);
    const refs = (await removeCheckout(work.checkout)).map(({ ref }) => ref);
    expect(refs).toEqual([
      "refs/lockstep/none/T-1/1",
      expect.stringMatching(/^refs\/lockstep\/none\/T-1\/1-kept\/[0-9a-f]{12}$/),
    ]);
  });

  it("keeps copied files only if the agent changed them", async () => {
    for (const changed of [false, true]) {
      using work = await checkedOut();
      const path = ".agents-work/s/plan.md";
      work.agent.write(path, "copied\n");
      rememberCopied(work.checkout, { [path]: digestOf("copied\n") });
      if (changed) work.agent.write(path, "copied\nand more\n");
      const kept = (await removeCheckout(work.checkout)).map(({ ref }) => ref);
      expect(kept).toEqual(changed ? ["refs/lockstep/none/T-1/1-ignored"] : []);
    }
  });

  it.each([
    ["an ignored file", "notes.local", "notes.local"],
    ["an ignored file in a folder of its own", "own/notes.local", "own/notes.local"],
    ["a repository in the session's folder", ".agents-work/s/r/.git/HEAD", ".agents-work/s/r/dot-git/HEAD"],
    ["a repository in an output folder of the project", "dist/.git/HEAD", "dist/dot-git/HEAD"],
  ])("leaves on a ref %s that came after the work was collected", async (_what, path, kept) => {
    using work = await checkedOut({ ".gitignore": "*.local\n", "a.txt": "a\n", "dist/a.txt": "a\n" });
    work.agent.write("a.txt", "changed\n");
    await collectWork(work.checkout);
    work.agent.write(path, "ref: refs/heads/main\n");
    const refs = (await removeCheckout(work.checkout)).map(({ ref }) => ref);
    expect(refs).toContain("refs/lockstep/none/T-1/1-ignored");
    expect(work.git("show", `refs/lockstep/none/T-1/1-ignored:${kept}`)).toBe("ref: refs/heads/main");
  });

  it("keeps what is left of a repository in an ignored folder", async () => {
    using work = await checkedOut({ "a.txt": "a\n", ".gitignore": "tools\n" });
    work.agent.write("a.txt", "changed\n");
    work.agent.write("tools/.git/objects/notes", "mine\n");
    await collectWork(work.checkout);
    const refs = (await removeCheckout(work.checkout)).map(({ ref }) => ref);
    expect(refs).toContain("refs/lockstep/none/T-1/1-ignored");
    expect(work.git("show", "refs/lockstep/none/T-1/1-ignored:tools/dot-git/objects/notes")).toBe("mine");
  });

  it("does not lose collected work if the checkout was emptied since", async () => {
    using work = await checkedOut();
    work.agent.write("a.txt", "changed\n");
    await collectWork(work.checkout);
    work.agent.remove("a.txt");
    await removeCheckout(work.checkout);
    expect(work.git("show", "refs/lockstep/none/T-1/1:a.txt")).toBe("changed");
  });

  it("keeps each of its own commits on a ref: branches, stashes, amended and dropped ones, tags", async () => {
    using work = await checkedOut();
    const { agent } = work;
    const made: string[] = [];
    const commit = (text: string, ...words: string[]) => {
      agent.write("a.txt", `${text}\n`);
      agent.git("commit", "-qam", text, ...words);
      made.push(agent.git("rev-parse", "HEAD"));
    };
    commit("first");
    commit("amended away");
    commit("instead", "--amend");
    agent.git("tag", "-a", "v1", "-m", "a tag");
    made.push(agent.git("rev-parse", "v1"));
    agent.git("checkout", "-q", "--detach");
    commit("detached");
    agent.git("checkout", "-q", "-b", "side", work.base);
    commit("side");
    agent.git("branch", "-q", "-f", "packed", "HEAD");
    for (const text of ["dropped", "stashed"]) {
      agent.write("a.txt", `${text}\n`);
      agent.git("stash", "-q");
      made.push(agent.git("rev-parse", "stash"));
      if (text === "dropped") agent.git("stash", "drop", "-q");
    }
    agent.git("pack-refs", "--all");
    agent.git("repack", "-q", "-d");
    agent.git("reflog", "expire", "--expire=now", "--all");
    const kept = await removeCheckout(work.checkout);
    work.git("gc", "-q", "--prune=now");
    for (const object of made) work.git("cat-file", "-e", object);
    expect(kept.map(({ holds }) => holds.replace(/ [0-9a-f]{7} /, " "))).toEqual(
      expect.arrayContaining(["amended away", "detached", "WIP on side: side", "a tag"]),
    );
    expect(kept.map(({ holds }) => holds)).not.toContain("first");
    expect(work.git("fsck", "--connectivity-only")).toBe("");
  });

  it("is kept even if git is configured not to work in bare repositories", async () => {
    using home = temporaryFolder({ ".gitconfig": "[safe]\n\tbareRepository = explicit\n" });
    using work = await checkedOut();
    const before = process.env.HOME;
    process.env.HOME = home.path;
    try {
      work.agent.write("a.txt", "b\n");
      work.agent.git("commit", "-qam", "mine");
      work.agent.write("a.txt", "c\n");
      expect(await removeCheckout((await work.open({ attempt: 2 })).checkout)).toHaveLength(2);
    } finally {
      process.env.HOME = before;
    }
  });

  it.each(["a file", "a link"])(
    "remains if an agent has replaced `.git` by %s, until that is moved away",
    async (kind) => {
      using work = await checkedOut();
      work.agent.write("a.txt", "b\n");
      const own = join(work.checkout.folder, ".git");
      renameSync(own, `${own}-aside`);
      if (kind === "a file") writeFileSync(own, "gitdir: /\n");
      else symlinkSync(`${own}-aside`, own);
      await expect(removeCheckout(work.checkout)).rejects.toThrow(/\.git` is a link or a file.*move it away/);
      rmSync(own);
      renameSync(`${own}-aside`, own);
      expect(await removeCheckout(work.checkout)).toHaveLength(1);
    },
  );

  it("is kept only once, even after several tries", async () => {
    using work = await checkedOut({ "a.txt": "a\n", ".gitignore": "*.local\n" });
    work.agent.write("a.txt", "b\n");
    work.agent.git("commit", "-qam", "mine");
    work.agent.write("a.txt", "c\n");
    work.agent.write("notes.local", "n\n");
    const first = await keepEverything(work.checkout);
    expect(first).toHaveLength(3);
    const refs = work.git("for-each-ref");
    expect(await keepEverything(work.checkout)).toEqual(first);
    expect(work.git("for-each-ref")).toBe(refs);
    work.git("config", "fetch.prune", "true");
    work.agent.git("commit", "-qam", "more");
    expect(await keepEverything(work.checkout)).toHaveLength(4);
  });

  it("keeps its ignored files on a ref, except generated and copied ones", async () => {
    const ignored = "*.local\n.env*\nscratch/\nnode_modules/\ndist/\n";
    using work = await checkedOut({ "a.txt": "a\n", ".gitignore": ignored });
    work.write(".env", "A=1\n");
    const { checkout } = await work.open({ task: "T-2" });
    const agent = agentIn(checkout);
    for (const path of [
      "notes.local",
      ".env.local",
      "scratch/deep/x",
      "scratch/node_modules/x",
      "node_modules/x",
    ])
      agent.write(path, `${path}\n`);
    agent.write("dist/x", "x\n");
    agent.write(".agents-work/s/log.md", "log\n");
    writeFileSync(Buffer.from(`${checkout.folder}/f\xff.local`, "latin1"), "bytes\n");
    const [kept, ...more] = await removeCheckout(checkout);
    expect(more).toEqual([]);
    expect(kept?.ref).toBe("refs/lockstep/none/T-2/1-ignored");
    const names = execFileSync("git", ["ls-tree", "-rz", "--name-only", kept?.ref ?? ""], {
      cwd: work.path,
      encoding: "latin1",
    });
    expect(names.split("\0").sort()).toEqual(
      ["", ".agents-work/s/log.md", ".env.local", "f\xff.local", "notes.local", "scratch/deep/x"].sort(),
    );
    execSync(kept?.command ?? "", { cwd: work.path, stdio: "ignore" });
    expect(readFileSync(join(work.path, "notes.local"), "utf8")).toBe("notes.local\n");
    expect(work.git("status", "--porcelain", "a.txt", ".gitignore")).toBe("");
  });

  it("keeps ignored files unchanged, even if a person has a filter for them", async () => {
    using repository = agentRepository({ ".gitignore": "*.local\n", ".gitattributes": "* filter=x\n" });
    repository.git("config", "filter.x.clean", "sed s/mine/theirs/");
    const { checkout } = await repository.open();
    agentIn(checkout).write("notes.local", "mine\n");
    const [kept] = await removeCheckout(checkout);
    expect(repository.git("cat-file", "blob", `${kept?.ref}:notes.local`)).toBe("mine");
  });

  it("keeps a copied file on a ref if the agent changed it", async () => {
    using work = await checkedOut();
    work.write(".env", "A=1\n");
    const { checkout } = await work.open({ task: "T-2" });
    agentIn(checkout).write(".env", "A=2\n");
    const [kept] = await removeCheckout(checkout);
    expect(work.git("show", `${kept?.ref}:.env`)).toBe("A=2");
  });

  it("may contain folders that their owner cannot write", async () => {
    using work = await checkedOut({ "a.txt": "a\n", ".gitignore": "target/\n" });
    work.agent.write("target/cache/x", "x\n");
    chmodSync(join(work.checkout.folder, "target/cache"), 0o500);
    await removeCheckout(work.checkout);
    expect(existsSync(work.checkout.folder)).toBe(false);
  });
});

describe("a checkout that cannot be kept completely is not removed:", () => {
  const setUp = { "a.txt": "a\n", ".gitignore": "*.bin\n" };

  it.each<[string, string, (folder: string) => void]>([
    [
      "ignored files beyond the limit",
      "its ignored files take 65 MiB, the limit is 64 MiB; move away or delete what is not needed, such as `big.bin`",
      (folder) => {
        writeFileSync(join(folder, "big.bin"), "");
        truncateSync(join(folder, "big.bin"), 65 * 1024 * 1024);
      },
    ],
    [
      "a commit with a broken tree",
      "failed: ",
      (folder) => {
        const tree = execFileSync("git", ["rev-parse", "HEAD^{tree}"], {
          cwd: folder,
          encoding: "utf8",
        }).trim();
        const file = join(folder, ".git/objects", tree.slice(0, 2), tree.slice(2));
        rmSync(file);
      },
    ],
    [
      "a pipe among its objects",
      "is not a regular file: remove it",
      (folder) => {
        mkdirSync(join(folder, ".git/objects/ab"), { recursive: true });
        execFileSync("mkfifo", [join(folder, ".git/objects/ab", "c".repeat(38))]);
      },
    ],
  ])("%s", async (_, why, spoil) => {
    using work = await checkedOut(setUp);
    work.agent.write("a.txt", "mine\n");
    work.agent.git("commit", "-qam", "mine");
    work.agent.write("a.txt", "later\n");
    spoil(work.checkout.folder);
    await expect(removeCheckout(work.checkout)).rejects.toThrow(why);
    expect(readFileSync(join(work.checkout.folder, "a.txt"), "utf8")).toBe("later\n");
    expect((await work.open()).notes).toEqual([]);
  });

  it("objects are not copied from the target of a link in its object store", async () => {
    using work = await checkedOut();
    const pack = join(work.checkout.folder, ".git/objects/pack");
    rmSync(pack, { recursive: true, force: true });
    symlinkSync("/tmp", pack);
    await expect(removeCheckout(work.checkout)).rejects.toThrow("is not a folder: remove it");
    expect(existsSync(work.checkout.folder)).toBe(true);
  });

  it("objects are not copied from alternates that the agent added", async () => {
    using work = await checkedOut();
    using other = agentRepository({ "private.txt": "secret\n" });
    process.env.XDG_STATE_HOME = join(work.commonFolder, "state");
    appendFileSync(
      join(work.checkout.folder, ".git/objects/info/alternates"),
      `${other.commonFolder}/objects\n`,
    );
    work.agent.git("update-ref", "refs/heads/other", other.base);
    await removeCheckout(work.checkout);
    expect(() => work.git("cat-file", "-e", other.base)).toThrow();
  });
});

describe("the list of checkouts", () => {
  it("is empty if there are none", () => {
    using repository = agentRepository();
    expect(listCheckouts(repository.commonFolder)).toEqual([]);
  });

  it("shows the task, the last use and the disk use of each", async () => {
    using work = await checkedOut();
    await work.open({ session: "2026-01-01_x", task: "T-2" });
    const [before] = listCheckouts(work.commonFolder);
    work.agent.write("big.txt", "x".repeat(1_000_000));
    linkSync(join(work.checkout.folder, "big.txt"), join(work.checkout.folder, "same.txt"));
    const listed = listCheckouts(work.commonFolder);
    expect(listed.map(({ checkout }) => [checkout?.session, checkout?.task, checkout?.attempt])).toEqual([
      ["2026-01-01_x", "T-2", 1],
      [null, "T-1", 1],
    ]);
    const grown = listed.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(before?.name).toBe(listed[0]?.name);
    expect(grown).toBeGreaterThan(1_000_000);
    expect(grown).toBeLessThan(1_900_000);
    for (const { lastUse } of listed) expect(Date.now() - lastUse.getTime()).toBeLessThan(60_000);
  });
});
