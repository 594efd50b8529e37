import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { openToPerson } from "../../src/workspace/checkouts/checkout.ts";
import { listPool, poolFolder, trimPool } from "../../src/workspace/checkouts/checkout-pool.ts";
import { removeCheckout } from "../../src/workspace/checkouts/remove-checkout.ts";
import { type AgentRepository, agentIn, agentRepository } from "../support/agent-checkout.ts";

/** Enough files that the checkout is pooled. */
const many = Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`many/${at}.txt`, `${at}\n`]));
const files = {
  ...many,
  "a.txt": "a\n",
  "src/b.txt": "b\n",
  "src/deep/c.txt": "c\n",
  "run.sh": "#!/bin/sh\n",
  ".gitignore": "out/\n*.log\n",
};

/** The visible content of a checkout: kinds, modes, links and texts, without git's folder. */
function seen(folder: string, below = ""): Record<string, string> {
  return Object.fromEntries(
    readdirSync(join(folder, below), { withFileTypes: true })
      .filter(({ name }) => below !== "" || name !== ".git")
      .flatMap((entry) => {
        const path = join(below, entry.name);
        const full = join(folder, path);
        const { mode, nlink } = lstatSync(full);
        const shape = `${(mode & 0o7777).toString(8)}${entry.isDirectory() ? "" : ` ${nlink}`}`;
        if (entry.isDirectory()) return [[`${path}/`, shape], ...Object.entries(seen(folder, path))];
        return [[path, `${shape} ${entry.isFile() ? readFileSync(full, "utf8") : "?"}`]];
      }),
  );
}

/** The state in git's folder, without the parts that differ between checkouts. */
function gitState(folder: string) {
  const git = (...words: string[]) => execFileSync("git", words, { cwd: folder, encoding: "utf8" });
  return {
    config: git("config", "--local", "--list"),
    refs: git("for-each-ref", "--format=%(refname) %(objectname)"),
    status: git("status", "--porcelain", "--ignored"),
    files: readdirSync(join(folder, ".git")).sort(),
    alternates: readFileSync(join(folder, ".git/objects/info/alternates"), "utf8"),
    head: git("rev-parse", "HEAD"),
    stash: git("stash", "list"),
  };
}

/** Identifies a file, even if a later one has the same inode. */
function identity(file: string): string {
  const { ino, birthtimeNs } = statSync(file, { bigint: true });
  return `${ino} ${birthtimeNs}`;
}

/** An agent in the sandbox changes its checkout; the checkout of the next task is compared with a new one. */
async function afterwards(
  act: (folder: string, repository: AgentRepository) => void,
  { base }: { base?: (repository: AgentRepository) => string } = {},
) {
  const repository = agentRepository(files);
  repository.write(".git/more", "[core]\nautocrlf = false\n");
  repository.git("config", "include.path", "more");
  repository.git("config", "core.attributesFile", join(repository.commonFolder, "named"));
  chmodSync(join(repository.path, "run.sh"), 0o755);
  repository.git("commit", "-qam", "executable");
  const first = repository.git("rev-parse", "HEAD");
  const isContained = true;
  const one = await repository.open({ task: "T-1", base: first, isContained });
  const before = identity(join(one.checkout.folder, "many/0.txt"));
  act(one.checkout.folder, repository);
  await removeCheckout(one.checkout);
  const next = base?.(repository) ?? first;
  const pooled = listPool(repository.commonFolder).length;
  const { checkout: used } = await repository.open({ task: "T-2", base: next, isContained });
  const { checkout: fresh } = await repository.open({ task: "T-3", base: next, isContained: false });
  return {
    repository,
    pooled,
    used: { files: seen(used.folder), git: gitState(used.folder), folder: used.folder },
    fresh: { files: seen(fresh.folder), git: gitState(fresh.folder) },
    /** Whether the files are those of the first checkout and were not rewritten. */
    isReused: identity(join(used.folder, "many/0.txt")) === before,
    [Symbol.dispose]: () => repository[Symbol.dispose](),
  };
}

describe("a reused checkout", () => {
  it("moves to the next base by the difference", async () => {
    using after = await afterwards(() => {}, {
      base: (repository) => {
        repository.write("src/b.txt", "changed\n");
        repository.write("new/d.txt", "d\n");
        repository.git("rm", "-q", "src/deep/c.txt");
        repository.git("add", "-A");
        repository.git("commit", "-qm", "next");
        return repository.git("rev-parse", "HEAD");
      },
    });
    expect(after.pooled).toBe(1);
    expect(after.isReused).toBe(true);
    expect(after.used.files).toEqual(after.fresh.files);
    expect(after.used.files["src/b.txt"]).toContain("changed");
    expect(existsSync(join(after.used.folder, "src/deep"))).toBe(false);
  });

  it.each<[string, string]>([
    ["changed files", "echo evil > a.txt"],
    ["new files and folders", "mkdir -p x/y; echo 1 > x/y/z"],
    ["empty folders", "mkdir -p empty/er"],
    ["deleted files", "rm -r src"],
    ["ignored files", "mkdir out; echo 1 > out/o; echo 1 > a.log"],
    ["modes of files", "chmod 4777 a.txt; chmod 600 run.sh"],
    ["modes of folders", "chmod 1700 src/deep"],
    ["closed folders", "mkdir -p out/x; chmod 500 out/x out"],
    ["hard links", 'ln a.txt "$OUTSIDE/elsewhere"'],
    ["hard links from outside", 'cp a.txt "$OUTSIDE/own"; ln -f "$OUTSIDE/own" a.txt'],
    ["a link for a file", "ln -sf /etc/passwd a.txt"],
    ["a link for a folder", 'rm -r src; ln -s "$OUTSIDE" src'],
    ["a folder for a file", "rm a.txt; mkdir -p a.txt/x"],
    ["a file for a folder", "rm -r src; touch src"],
    [
      "git's configuration and hooks",
      `git config core.fsmonitor 'touch pwned'; git config core.hooksPath hooks; git config core.sparseCheckout true
       mkdir -p .git/hooks .git/info; printf '#!/bin/sh\\ntouch pwned\\n' > .git/hooks/post-checkout
       chmod +x .git/hooks/post-checkout; echo '*' > .git/info/exclude
       echo '* text eol=crlf' > .git/info/attributes`,
    ],
    [
      "index entries, refs and stashes",
      `git update-index --assume-unchanged a.txt; git update-index --skip-worktree src/b.txt; echo other > run.sh
       git -c user.name=a -c user.email=a@localhost stash -q; git tag mine; git branch mine`,
    ],
    ["alternates", "echo /nowhere > .git/objects/info/alternates"],
    ["a nested repository", "git init -q src/inner"],
  ])("has nothing of the earlier attempt: %s", async (_, script) => {
    using after = await afterwards((folder, { commonFolder }) => {
      const env = { ...process.env, OUTSIDE: commonFolder };
      execFileSync("sh", ["-c", script], { cwd: folder, env });
    });
    expect(after.used.files).toEqual(after.fresh.files);
    const { refs: usedRefs, ...used } = after.used.git;
    const { refs: freshRefs, ...fresh } = after.fresh.git;
    expect(used).toEqual(fresh);
    expect(usedRefs.replace("T-2", "")).toBe(freshRefs.replace("T-3", ""));
  });

  it("has no file times that an agent has set", async () => {
    const old = new Date("2001-01-01T00:00:00Z");
    using after = await afterwards((folder) => utimesSync(join(folder, "a.txt"), old, old));
    expect(after.isReused).toBe(true);
    expect(statSync(join(after.used.folder, "a.txt")).mtimeMs).toBeGreaterThan(old.getTime());
    expect(statSync(join(after.used.folder, "src/b.txt")).nlink).toBe(1);
  });

  it("has new folders in place of those that an agent changed: they could give their permissions to new files", async () => {
    const changed: string[] = [];
    using after = await afterwards((folder) => {
      for (const path of ["src", "src/deep"].map((name) => join(folder, name))) {
        changed.push(identity(path));
        const { mode } = statSync(path);
        for (const one of [0o700, mode]) chmodSync(path, one);
      }
    });
    expect(after.isReused).toBe(true);
    const found = ["", "src", "src/deep"].map((name) => identity(join(after.used.folder, name)));
    expect(found.filter((one) => changed.includes(one))).toEqual([]);
    expect(after.used.files).toEqual(after.fresh.files);
  });

  it("is rewritten where a file changed but has its old time and size", async () => {
    using after = await afterwards((folder) => {
      const file = join(folder, "a.txt");
      const { atime, mtime } = statSync(file);
      writeFileSync(file, "e\n");
      utimesSync(file, atime, mtime);
    });
    expect(after.used.files).toEqual(after.fresh.files);
  });
});

describe("a checkout is not reused", () => {
  it("after a person had it", async () => {
    using repository = agentRepository(files);
    const { checkout } = await repository.open({ isContained: true });
    openToPerson(checkout);
    const { checkout: again } = await repository.open({ attempt: 2, isContained: true });
    await removeCheckout(again);
    expect(listPool(repository.commonFolder)).toEqual([]);
  });

  it("after any attempt without the sandbox", async () => {
    using repository = agentRepository(files);
    await repository.open({ isContained: false });
    const { checkout } = await repository.open({ attempt: 2, isContained: true });
    await removeCheckout(checkout);
    expect(listPool(repository.commonFolder)).toEqual([]);
  });

  it("for an agent without the sandbox", async () => {
    using repository = agentRepository(files);
    const { checkout } = await repository.open({ isContained: true });
    await removeCheckout(checkout);
    await repository.open({ task: "T-2", isContained: false });
    expect(listPool(repository.commonFolder)).toHaveLength(1);
  });

  it("while a process works in it", async () => {
    using repository = agentRepository(files);
    const { checkout } = await repository.open({ isContained: true });
    const before = identity(join(checkout.folder, "many/0.txt"));
    const child = spawn("sh", ["-c", "echo ready; exec sleep 600"], { cwd: checkout.folder });
    try {
      await new Promise((resolve) => child.stdout.once("data", resolve));
      await removeCheckout(checkout);
      const { checkout: next } = await repository.open({ task: "T-2", isContained: true });
      expect(identity(join(next.folder, "many/0.txt"))).not.toBe(before);
    } finally {
      child.kill("SIGKILL");
    }
  });

  it.each<[string, (repository: AgentRepository) => void]>([
    ["git's settings", ({ git }) => git("config", "core.autocrlf", "true")],
    [
      "settings that git's configuration includes",
      ({ write }) => write(".git/more", "[core]\nautocrlf = true\n"),
    ],
    ["attributes that git's settings name", ({ write }) => write(".git/named", "*.txt text eol=crlf\n")],
    [
      "attributes",
      ({ write, git }) => {
        write(".gitattributes", "*.txt text eol=crlf\n");
        git("add", "-A");
        git("commit", "-qm", "attributes");
      },
    ],
  ])("after a change of %s, which decide how files are written", async (_, change) => {
    using after = await afterwards(() => {}, {
      base: (repository) => {
        change(repository);
        return repository.git("rev-parse", "HEAD");
      },
    });
    expect(after.isReused).toBe(false);
    expect(after.used.files).toEqual(after.fresh.files);
  });
});

describe("the pool", () => {
  it("takes no small checkout, which is written faster than it is examined, but one with few large files", async () => {
    const pooledOf = async (files: Record<string, string>) => {
      using repository = agentRepository(files);
      const base = repository.git("rev-parse", "HEAD");
      await removeCheckout((await repository.open({ task: "T-1", base, isContained: true })).checkout);
      return listPool(repository.commonFolder).length;
    };
    const named = { "a.txt": "a\n", [`${"long/".repeat(20)}b.txt`]: "b\n", "12345678.txt": "" };
    expect(await pooledOf(named)).toBe(0);
    expect(await pooledOf({ ...named, "large.txt": "large ".repeat(1_000_000) })).toBe(1);
  });

  it("keeps the newest checkouts within its budget", async () => {
    using repository = agentRepository({ ...files, "big.bin": "x".repeat(6_000_000) });
    const opened = [];
    for (const task of ["T-1", "T-2", "T-3"])
      opened.push((await repository.open({ task, isContained: true })).checkout);
    for (const checkout of opened) await removeCheckout(checkout);
    const [newest] = listPool(repository.commonFolder);
    trimPool(repository.commonFolder, 10_000_000);
    await expect
      .poll(() => listPool(repository.commonFolder).map(({ folder }) => folder))
      .toEqual([newest?.folder]);
    trimPool(repository.commonFolder, 0);
    await expect.poll(() => listPool(repository.commonFolder)).toEqual([]);
  });

  it("gives each checkout to one task, even with simultaneous requests", async () => {
    using repository = agentRepository(files);
    const { checkout } = await repository.open({ isContained: true });
    await removeCheckout(checkout);
    const tasks = ["T-2", "T-3", "T-4", "T-5"];
    const opened = await Promise.all(tasks.map((task) => repository.open({ task, isContained: true })));
    const found = opened.map((one) => identity(join(one.checkout.folder, "a.txt")));
    expect(new Set(found).size).toBe(tasks.length);
    for (const one of opened) expect(agentIn(one.checkout).git("status", "--porcelain")).toBe("");
  });

  it("ignores a checkout that a crash left unfinished", async () => {
    using repository = agentRepository(files);
    const { checkout } = await repository.open({ isContained: true });
    await removeCheckout(checkout);
    const [pooled] = listPool(repository.commonFolder);
    renameSync(pooled?.folder as string, join(poolFolder(repository.commonFolder), "0123.half"));
    const { checkout: next } = await repository.open({ task: "T-2", isContained: true });
    expect(agentIn(next).git("status", "--porcelain")).toBe("");
    expect(readdirSync(poolFolder(repository.commonFolder))).toEqual(["0123.half"]);
  });

  it("makes a new checkout if the pooled one is damaged", async () => {
    using repository = agentRepository(files);
    const { checkout } = await repository.open({ isContained: true });
    await removeCheckout(checkout);
    const [pooled] = listPool(repository.commonFolder);
    writeFileSync(join(pooled?.folder as string, "pristine"), "not an index");
    const { checkout: next } = await repository.open({ task: "T-2", isContained: true });
    expect(agentIn(next).git("status", "--porcelain")).toBe("");
    await expect
      .poll(() => readdirSync(dirname(next.folder)).filter((name) => name.startsWith("pooled")))
      .toEqual([]);
  });
});
