import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { collectWork } from "../../src/workspace/checkouts/collect-work.ts";
import { keepEverything } from "../../src/workspace/checkouts/keep-everything.ts";
import { removeCheckout } from "../../src/workspace/checkouts/remove-checkout.ts";
import { agentIn, agentRepository } from "../support/agent-checkout.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

async function collected(files?: Readonly<Record<string, string>>) {
  const repository = agentRepository(files);
  const { checkout } = await repository.open();
  const collect = async () => {
    const work = await collectWork(checkout);
    if (work === "unchanged") throw new Error("nothing was collected");
    return work;
  };
  return { ...repository, checkout, agent: agentIn(checkout), collect };
}

describe("an agent's work", () => {
  it("is one commit on the base with all changed, added and deleted files", async () => {
    using work = await collected({ "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" });
    const { agent, git } = work;
    expect(await collectWork(work.checkout)).toBe("unchanged");
    agent.write("a.txt", "changed\n");
    agent.write("src/new.txt", "new\n");
    agent.remove("b.txt");
    agent.git("add", "src");
    agent.git("commit", "-qm", "the agent's own commit");
    const { commit, ref, changed } = await work.collect();
    expect(changed.map(({ path, status }) => `${status} ${path}`)).toEqual([
      "modified a.txt",
      "deleted b.txt",
      "added src/new.txt",
    ]);
    expect(ref).toBe("refs/lockstep/none/T-1/1");
    expect(git("rev-parse", ref, `${ref}^`)).toBe(`${commit}\n${work.base}`);
    expect(git("status", "--porcelain")).toBe("");
    expect(agent.git("status", "--porcelain")).toBe("M a.txt\n D b.txt");
  });

  it("that was collected before can still be found; only then a reflog is written", async () => {
    using work = await collected();
    work.agent.write("new.txt", "one\n");
    const { commit, ref } = await work.collect();
    const log = join(work.path, ".git", "logs", ref);
    expect(existsSync(log)).toBe(false);
    work.agent.write("new.txt", "two\n");
    await work.collect();
    expect(readFileSync(log, "utf8")).toContain(commit);
  });

  it("keeps links, the executable bit, and names that are not UTF-8 or contain line breaks", async () => {
    using work = await collected({ "a.txt": "a\n", "run.sh": "#!/bin/sh\n" });
    work.git("config", "core.fileMode", "false");
    chmodSync(join(work.checkout.folder, "run.sh"), 0o755);
    symlinkSync("../../outside", join(work.checkout.folder, "link"));
    writeFileSync(Buffer.from(`${work.checkout.folder}/f\xff.txt`, "latin1"), "bytes\n");
    work.agent.write("two\nlines", "x\n");
    const { ref, changed } = await work.collect();
    expect(changed.map(({ path, kind }) => [path, kind])).toEqual([
      ["f\\xff.txt", "file"],
      ["link", "link"],
      ["run.sh", "file"],
      ["two\nlines", "file"],
    ]);
    const tree = execFileSync("git", ["ls-tree", "-z", ref], { cwd: work.path, encoding: "latin1" });
    expect(tree.split("\0").map((line) => line.replace(/ .*\t/s, " "))).toEqual([
      "100644 a.txt",
      "100644 f\xff.txt",
      "120000 link",
      "100755 run.sh",
      "100644 two\nlines",
      "",
    ]);
    expect(work.git("cat-file", "blob", `${ref}:link`)).toBe("../../outside");
  });

  it.each([".env", ".agents-work/", ".[ae]*", ".agents-work/**"])(
    "excludes a path even if `%s` ignores it as well",
    async (pattern) => {
      using work = await collected({ "a.txt": "a\n", ".gitignore": `${pattern}\n` });
      work.write(".env", "A=1\n");
      const { checkout } = await work.open({ task: "T-2" });
      const agent = agentIn(checkout);
      agent.write(".env", "A=2\n");
      agent.write(".agents-work/x.log", "x\n");
      agent.write("a.txt", "b\n");
      expect(await collectWork(checkout)).toMatchObject({ changed: [{ path: "a.txt" }] });
    },
  );

  it("omits ignored files, the session's folder and the copied files, but not files that the base tracks", async () => {
    using work = await collected({ "a.txt": "a\n", ".gitignore": "*.log\n" });
    work.write("tracked.log", "1\n");
    work.git("add", "-f", "tracked.log");
    work.git("commit", "-qm", "a tracked log");
    work.write(".env", "SECRET=1\n");
    const { checkout } = await work.open({ task: "T-2", base: work.git("rev-parse", "HEAD") });
    work.git("rm", "-q", "tracked.log");
    work.git("commit", "-qm", "no longer tracked");
    const agent = agentIn(checkout);
    agent.write("tracked.log", "2\n");
    agent.write("other.log", "x\n");
    agent.write(".agents-work/s/notes.md", "x\n");
    agent.write(".env", "SECRET=2\n");
    expect(await collectWork(checkout)).toMatchObject({
      changed: [{ path: "tracked.log", status: "modified" }],
    });
    agent.remove("tracked.log");
    expect(await collectWork(checkout)).toMatchObject({
      changed: [{ path: "tracked.log", status: "deleted" }],
    });
    agent.write("tracked.log", "3\n");
    expect(await collectWork(checkout)).toMatchObject({
      changed: [{ path: "tracked.log", status: "modified" }],
    });
  });

  it.each<[string, (index: string) => void]>([
    ["garbage", (index) => writeFileSync(index, "garbage")],
    ["missing", (index) => rmSync(index)],
    ["cut short", (index) => writeFileSync(index, readFileSync(index).subarray(0, 40))],
    ["locked by a git that was killed", (index) => writeFileSync(`${index}.lock`, "")],
    [
      "that of another tree",
      (index) =>
        execFileSync("git", ["read-tree", "--empty"], {
          env: { ...process.env, GIT_INDEX_FILE: index },
          cwd: process.cwd(),
        }),
    ],
  ])("is the same when Lockstep's index is %s", async (_, damage) => {
    using work = await collected({ "a.txt": "a\n", "b.txt": "b\n" });
    work.agent.write("a.txt", "changed\n");
    const before = await work.collect();
    damage(join(dirname(work.checkout.folder), "index"));
    const after = await work.collect();
    expect(after.changed).toEqual(before.changed);
    expect(work.git("rev-parse", `${after.commit}^{tree}`)).toBe(
      work.git("rev-parse", `${before.commit}^{tree}`),
    );
  });

  it("has the parent that the caller names", async () => {
    using work = await collected();
    work.agent.write("a.txt", "b\n");
    const { commit: parent } = await work.collect();
    expect(await collectWork(work.checkout, { parent })).toBe("unchanged");
    work.agent.write("b.txt", "b\n");
    const more = await collectWork(work.checkout, { parent, subject: "T-1: more" });
    expect(more).toMatchObject({ changed: [{ path: "b.txt" }] });
    expect(work.git("log", "--format=%s", "refs/lockstep/none/T-1/1")).toBe(
      "T-1: more\nT-1: work of attempt 1\nbase",
    );
  });

  it("has Lockstep as its author if no author is configured", async () => {
    using home = temporaryFolder({ ".gitconfig": "[user]\n\tuseConfigOnly = true\n" });
    const before = process.env.HOME;
    process.env.HOME = home.path;
    try {
      using work = await collected();
      work.agent.write("a.txt", "b\n");
      expect(work.git("log", "-1", "--format=%an <%ae>", (await work.collect()).commit)).toBe(
        "Lockstep <lockstep@localhost>",
      );
    } finally {
      process.env.HOME = before;
    }
  });

  it.each<[string, (gitFolder: string) => void]>([
    ["gone", () => {}],
    ["a file that points elsewhere", (path) => writeFileSync(path, "gitdir: /nowhere\n")],
    ["a link", (path) => symlinkSync("/nowhere", path)],
    ["an empty folder", (path) => mkdirSync(path)],
  ])("is collected even if the checkout's `.git` is %s", async (_, replace) => {
    using work = await collected();
    const gitFolder = join(work.checkout.folder, ".git");
    rmSync(gitFolder, { recursive: true });
    replace(gitFolder);
    work.agent.write("a.txt", "b\n");
    expect((await work.collect()).changed).toMatchObject([{ path: "a.txt" }]);
  });

  it("of ten thousand files is collected, and later only what changed since", async () => {
    using work = await collected({ "a.txt": "a\n" });
    for (let at = 0; at < 10_000; at += 1) work.agent.write(`d${at % 100}/f${at}.txt`, `${at}\n`);
    expect((await work.collect()).changed).toHaveLength(10_000);
    work.agent.write("a.txt", "b\n");
    expect((await work.collect()).changed).toHaveLength(10_001);
  }, 180_000);
});

describe("a repository inside the work", () => {
  const cases: [string, string, string[]][] = [
    ["new", "sub", ["init", "-q", "sub"]],
    ["in a folder of the project", "src", ["init", "-q", "src"]],
    ["with commits", "deep/er", ["clone", "-q", ".", "deep/er"]],
    ["in a folder with the name of an output folder", "dist", ["clone", "-q", ".", "dist"]],
    ["new in such a folder", "dist", ["init", "-q", "dist"]],
    ["in another one", "one", ["init", "-q", "one"]],
  ];

  it.each(cases)("that is %s is reported, and its files are in the commit", async (_, name, words) => {
    using work = await collected({ "a.txt": "a\n", "src/b.txt": "b\n", ".gitignore": "*.log\n" });
    work.agent.git(...words);
    const names = [name, ...(name === "one" ? ["one/two"] : [])];
    for (const each of names.slice(1)) work.agent.git("init", "-q", each);
    expect(await work.collect()).toMatchObject({ nested: names });
    for (const each of names) work.agent.write(`${each}/x.txt`, "x\n");
    work.agent.write(`${name}/x.log`, "x\n");
    const { commit, nested } = await work.collect();
    expect(nested).toEqual(names);
    for (const each of names) expect(work.git("show", `${commit}:${each}/x.txt`)).toBe("x");
    const listed = work.git("ls-tree", "-r", commit);
    expect(listed).not.toMatch(/^160000|x\.log/m);
    rmSync(join(work.checkout.folder, name, "x.txt"));
    work.agent.write("a.txt", "b\n");
    for (const each of names) rmSync(join(work.checkout.folder, each, ".git"), { recursive: true });
    const after = await work.collect();
    expect(after.nested).toEqual([]);
    expect(work.git("ls-tree", "-r", "--name-only", after.commit)).not.toMatch(`^${name}/x.txt`);
  });

  it.each(cases.filter((_, at) => at === 0 || at === 3))(
    "that is %s is removed with its checkout only after all of it is kept",
    async (_, name, words) => {
      using work = await collected({ "a.txt": "a\n", "src/b.txt": "b\n", ".gitignore": "*.log\n" });
      using outside = temporaryFolder({ secret: "a person's\n" });
      work.agent.git(...words);
      const { folder } = work.checkout;
      work.agent.write(`${name}/x.txt`, "x\n");
      work.agent.write(`${name}/x.log`, "ignored\n");
      work.agent.git("-C", name, "add", "x.txt");
      work.agent.git("-C", name, "commit", "-qm", "in a fixture");
      const head = work.agent.git("-C", name, "rev-parse", "HEAD");
      symlinkSync(join(outside.path, "secret"), join(folder, name, ".git", "link"));
      await removeCheckout(work.checkout);
      expect(existsSync(folder)).toBe(false);
      const made = "refs/lockstep/none/T-1";
      const [kept = ""] = work.git("for-each-ref", "--format=%(refname)", `${made}/1-kept`).split("\n");
      expect(work.git("show", `${kept}:${name}/x.txt`)).toBe("x");
      expect(work.git("show", `${made}/1-ignored:${name}/x.log`)).toBe("ignored");
      expect(work.git("show", `${made}/1-ignored:${name}/dot-git/link`)).toBe(join(outside.path, "secret"));
      // The history of the repository can be restored.
      using back = temporaryFolder();
      execFileSync("sh", ["-c", `git archive ${made}/1-ignored ${name}/dot-git | tar x -C ${back.path}`], {
        cwd: work.path,
      });
      const gitFolder = join(back.path, name, "dot-git");
      mkdirSync(join(gitFolder, "refs"), { recursive: true });
      mkdirSync(join(gitFolder, "objects"), { recursive: true });
      expect(execFileSync("git", ["--git-dir", gitFolder, "log", "-1", "--format=%H %s"]).toString()).toBe(
        `${head} in a fixture\n`,
      );
    },
  );

  it("in an ignored folder is kept too", async () => {
    using work = await collected({ "a.txt": "a\n", ".gitignore": "tmp/\n" });
    work.agent.git("init", "-q", "tmp/one");
    work.agent.write("tmp/one/x.txt", "x\n");
    await removeCheckout(work.checkout);
    const ref = "refs/lockstep/none/T-1/1-ignored";
    expect(work.git("show", `${ref}:tmp/one/x.txt`)).toBe("x");
    expect(work.git("show", `${ref}:tmp/one/dot-git/HEAD`)).toMatch(/^ref: /);
  });
});

describe("work that cannot be collected completely", () => {
  it("does not include repositories that tools made in ignored folders", async () => {
    using work = await collected({ "a.txt": "a\n", ".gitignore": "deps/\nnode_modules/\n" });
    work.agent.git("init", "-q", "deps/one");
    work.agent.git("init", "-q", "node_modules/two");
    work.agent.write("a.txt", "b\n");
    expect((await work.collect()).changed).toMatchObject([{ path: "a.txt" }]);
  });

  it("is refused with the name of a pipe that would block git", async () => {
    using work = await collected();
    mkdirSync(join(work.checkout.folder, "src"));
    work.agent.run("mkfifo", "src/.gitignore");
    await expect(collectWork(work.checkout)).rejects.toThrow(
      "`src/.gitignore` is not a regular file: remove it",
    );
  });

  it("is refused with the name of a file whose filter would run in the checkout", async () => {
    using work = await collected({ "a.txt": "a\n", ".gitattributes": "*.nb filter=strip\n" });
    work.git("config", "filter.strip.clean", "./clean.sh");
    work.agent.write("clean.sh", "#!/bin/sh\ntouch tripped\ncat\n");
    chmodSync(join(work.checkout.folder, "clean.sh"), 0o755);
    work.agent.write("x.nb", "x\n");
    await expect(collectWork(work.checkout)).rejects.toThrow(
      "x.nb: clean filter 'strip' failed; git-lfs is the only filter",
    );
    expect(existsSync(join(work.checkout.folder, "tripped"))).toBe(false);
  });

  it("does not include unchanged files of such a filter", async () => {
    using repository = agentRepository({ "a.txt": "a\n", ".gitattributes": "*.nb filter=strip\n" });
    repository.git("config", "filter.strip.clean", "tr A-Z a-z");
    repository.git("config", "filter.strip.smudge", "tr a-z A-Z");
    repository.write("x.nb", "text\n");
    repository.git("add", "x.nb");
    repository.git("commit", "-qm", "filtered");
    const { checkout } = await repository.open({ base: repository.git("rev-parse", "HEAD") });
    expect(readFileSync(join(checkout.folder, "x.nb"), "utf8")).toBe("TEXT\n");
    agentIn(checkout).write("a.txt", "b\n");
    expect(await collectWork(checkout)).toMatchObject({ changed: [{ path: "a.txt" }] });
  });

  it.runIf(process.getuid?.() === 0)(
    "is refused with the name of a file that an ordinary user cannot read",
    async () => {
      using work = await collected({ "a.txt": "a\n", "d/b.txt": "b\n" });
      work.agent.write("closed.txt", "x\n");
      work.agent.write("folder/x.txt", "x\n");
      const as = (call: "collectWork" | "removeCheckout") => askAsNobody(work.path, call);
      const at = (path: string) => join(work.checkout.folder, path);
      giveToNobody(work.path);
      chmodSync(at("closed.txt"), 0);
      expect(as("collectWork")).toContain('error: open("closed.txt"): Permission denied');
      chmodSync(at("closed.txt"), 0o600);
      for (const [folder, mode] of [
        ["folder", 0],
        ["d", 0o600],
      ] as const) {
        chmodSync(at(folder), mode);
        expect(as("removeCheckout")).toContain(`\`${folder}\` cannot be read: \`chmod u+rx\` it`);
        expect(existsSync(at(folder))).toBe(true);
        chmodSync(at(folder), 0o700);
      }
      expect(as("collectWork")).toBe("");
    },
  );
});

/** Gives everything there to an ordinary user. */
function giveToNobody(path: string): void {
  execFileSync("chown", ["-R", "65534:65534", path]);
}

/** Returns the error output. */
function askAsNobody(path: string, call: "collectWork" | "removeCheckout"): string {
  const at = (name: string) => new URL(`../../src/workspace/checkouts/${name}.ts`, import.meta.url).pathname;
  const code = `
    import { listCheckouts } from "${at("list-checkouts")}";
    import { collectWork } from "${at("collect-work")}";
    import { removeCheckout } from "${at("remove-checkout")}";
    const [{ checkout }] = listCheckouts("${path}/.git");
    await ${call}(checkout).catch((error) => { console.error(error.message); });`;
  const words = ["--reuid=65534", "--regid=65534", "--clear-groups", process.execPath];
  const { stderr } = spawnSync("setpriv", [...words, "--input-type=module", "--eval", code], {
    encoding: "utf8",
    env: { ...process.env, HOME: path },
  });
  return stderr;
}

describe("a trap that an agent sets in its checkout", () => {
  it("never runs: not when the checkout is opened, read, kept or removed", async () => {
    using work = await collected({ "a.txt": "a\n", ".gitignore": "*.local\n" });
    using trap = temporaryFolder();
    const script = trap.write(
      "trip.sh",
      `#!/bin/sh\necho "$0 $*" >> ${trap.path}/tripped\ncat 2>/dev/null\n`,
    );
    chmodSync(script, 0o755);
    const tripped = () => existsSync(join(trap.path, "tripped"));
    const { folder } = work.checkout;
    work.agent.git("commit", "-q", "--allow-empty", "-m", "only here");
    plant(folder, script, trap.path);
    work.agent.write("a.txt", "changed\n");
    spawnSync("git", ["status"], { cwd: folder });
    spawnSync("git", ["diff"], { cwd: folder });
    expect(tripped()).toBe(true);
    rmSync(join(trap.path, "tripped"));
    work.agent.write("hidden.txt", "mine\n");
    work.agent.write("notes.local", "mine\n");
    const { checkout } = await work.open({ attempt: 2 });
    expect((await work.collect()).changed.map(({ path }) => path)).toEqual([
      ".gitattributes",
      "a.txt",
      "hidden.txt",
    ]);
    const kept = await keepEverything(checkout);
    expect(kept.map(({ ref, holds }) => (ref.includes("kept") ? holds : ref))).toEqual([
      "refs/lockstep/none/T-1/1",
      "refs/lockstep/none/T-1/2-ignored",
      "only here",
    ]);
    expect(tripped()).toBe(false);
    mkdirSync(join(folder, "sub"));
    execFileSync("git", ["init", "-q"], { cwd: join(folder, "sub") });
    plant(join(folder, "sub"), script, trap.path);
    expect(await collectWork(checkout)).toMatchObject({ nested: ["sub"] });
    expect(tripped()).toBe(false);
    await removeCheckout(checkout);
    expect(existsSync(folder)).toBe(false);
    expect(tripped()).toBe(false);
  });
});

/** Every way in which a git folder can make git run a program. */
function plant(folder: string, script: string, elsewhere: string): void {
  const gitFolder = join(folder, ".git");
  writeFileSync(join(elsewhere, "included"), `[core]\n\tpager = ${script}\n\teditor = ${script}\n`);
  appendFileSync(
    join(gitFolder, "config"),
    `[core]
\tfsmonitor = ${script}
\thooksPath = ${elsewhere}/hooks
\tsshCommand = ${script}
\taskPass = ${script}
\tgitProxy = ${script}
\talternateRefsCommand = ${script}
\tworktree = ${elsewhere}
\tattributesFile = ${elsewhere}/attributes
[filter "x"]
\tclean = ${script}
\tsmudge = ${script}
\tprocess = ${script}
\trequired = true
[diff]
\texternal = ${script}
[diff "x"]
\ttextconv = ${script}
\tcommand = ${script}
[merge "x"]
\tdriver = ${script} %A
[gpg]
\tprogram = ${script}
[commit]
\tgpgSign = true
[uploadpack]
\tpackObjectsHook = ${script}
[alias]
\tadd = !${script}
\tread-tree = !${script}
[remote "origin"]
\turl = ext::${script}
\tuploadpack = ${script}
[include]
\tpath = ${elsewhere}/included
`,
  );
  for (const hooks of [join(gitFolder, "hooks"), join(elsewhere, "hooks")]) {
    mkdirSync(hooks, { recursive: true });
    for (const name of [
      "post-index-change",
      "reference-transaction",
      "pre-commit",
      "post-checkout",
      "pre-auto-gc",
    ])
      if (!existsSync(join(hooks, name))) symlinkSync(script, join(hooks, name));
  }
  writeFileSync(join(folder, ".gitattributes"), "* filter=x diff=x merge=x\n");
  mkdirSync(join(gitFolder, "info"), { recursive: true });
  writeFileSync(join(gitFolder, "info", "attributes"), "* filter=x diff=x merge=x\n");
  writeFileSync(join(gitFolder, "info", "exclude"), "*\n");
}
