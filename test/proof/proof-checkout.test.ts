import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type Proven, Prover, type ProverOptions } from "../../src/proof/prover.ts";
import { openProofCheckout } from "../../src/workspace/checkouts/proof-checkout.ts";
import { takeSlot } from "../../src/workspace/checkouts/proof-slot.ts";
import { inMain, inTmp, type ProvingGround, provingGround } from "../support/proving-ground.ts";
import { startProgram } from "../support/run-command.ts";
import { skipLoudly } from "../support/skip-loudly.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const script = fileURLToPath(new URL("../support/proving-process.ts", import.meta.url));

/** The prefix that runs a program as an ordinary user, who becomes the owner of the ground. */
function ordinaryUser(ground: ProvingGround): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  execFileSync("chown", ["-R", "65534:65534", dirname(ground.place("main"))]);
  return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
}

/** The runs of some commands, by a program of an ordinary user. */
async function runOrdinarily(ground: ProvingGround, options: ProverOptions, commands: readonly string[]) {
  const words = [JSON.stringify(options), ground.place("main/.git/lockstep"), "main", ...commands];
  const through = ordinaryUser(ground);
  using process_ = startProgram([process.execPath, script, ...words], {
    ...{ cwd: ground.place("main"), env: ground.env, through },
  });
  const { status, stdout, stderr } = await process_.ended;
  expect(status, stderr).toBe(0);
  return stdout
    .trim()
    .split("\n")
    .map((line): Proven => JSON.parse(line));
}

describe.each([inTmp, inMain])("a proof checkout $where", (layout) => {
  const damages: readonly [string, (tree: string, ground: ProvingGround) => void][] = [
    ["was deleted", (tree) => rmSync(tree, { recursive: true })],
    ["has lost its git folder", (tree) => rmSync(join(tree, ".git"), { recursive: true })],
    ["has garbage for a HEAD", (tree) => writeFileSync(join(tree, ".git/HEAD"), "garbage\n")],
    ["has garbage for an index", (tree) => writeFileSync(join(tree, ".git/index"), "garbage\n")],
    ["has garbage for a configuration", (tree) => writeFileSync(join(tree, ".git/config"), "[garbage\n")],
    ["has a lock left behind", (tree) => writeFileSync(join(tree, ".git/index.lock"), "")],
    ["has another lock left behind", (tree) => writeFileSync(join(tree, ".git/HEAD.lock"), "")],
    [
      "has alternates that do not exist",
      (tree) => writeFileSync(join(tree, ".git/objects/info/alternates"), "/nowhere/objects\n"),
    ],
    [
      "became a link",
      (tree, ground) => {
        rmSync(tree, { recursive: true });
        mkdirSync(ground.place("elsewhere"));
        symlinkSync(ground.place("elsewhere"), tree);
      },
    ],
  ];

  it.each(damages)("that %s is created again", async (_, damage) => {
    using ground = provingGround({ "a.txt": "one\n" }, layout);
    const { options } = ground;
    const command = "cat a.txt; git log --format=%s";
    let tree = "";
    {
      using prover = await Prover.open(options);
      expect(await prover.run("main", command)).toMatchObject({ run: { exit: 0, tail: "one\na\n" } });
      tree = prover.folder;
    }
    damage(tree, ground);
    const [head, status] = [ground.git("symbolic-ref", "HEAD"), ground.git("status", "--short", "a.txt")];
    using prover = await Prover.open(options);
    expect(prover.folder).toBe(tree);
    expect(await prover.run("main", command)).toMatchObject({ run: { exit: 0, tail: "one\na\n" } });
    expect([ground.git("symbolic-ref", "HEAD"), ground.git("status", "--short", "a.txt")]).toEqual([
      head,
      status,
    ]);
    expect(ground.read("elsewhere/a.txt")).toBeUndefined();
  });

  it("of a moved repository is created at the new path", async () => {
    using ground = provingGround({ "a.txt": "one\n" }, layout);
    await ground.check("true");
    renameSync(ground.place("main"), ground.place("moved"));
    process.env.XDG_STATE_HOME = ground.place(layout === inMain ? "moved/state" : "state");
    const moved = { root: ground.place("moved"), commonFolder: ground.place("moved/.git") };
    using prover = await Prover.open({ ...ground.options, ...moved });
    expect(await prover.run("main", "cat a.txt")).toMatchObject({ run: { exit: 0, tail: "one\n" } });
  });
});

describe("the files of a setup", () => {
  const install = [
    "mkdir -p node_modules/dep packages/a/node_modules/dep dist",
    "echo good > node_modules/dep/index.js",
    "echo good > packages/a/node_modules/dep/index.js",
    "echo stale > dist/out",
    'echo x >> "$HOME/counts/set-ups"',
  ].join(" && ");
  const setup = [["sh", "-c", install]];
  const setUps = (ground: ProvingGround) => (ground.read("home/counts/set-ups") ?? "").length / 2;
  const look =
    "cat node_modules/dep/index.js packages/a/node_modules/dep/index.js; find . -path ./.git -prune -o -type f -print | sort";
  const seen = "good\ngood\n./a.txt\n./node_modules/dep/index.js\n./packages/a/node_modules/dep/index.js\n";

  it("are the same for every check, whatever files checks add", async () => {
    using ground = provingGround();
    using prover = await Prover.open({ ...ground.options, setup });
    expect(await prover.run("main", look)).toMatchObject({ run: { tail: seen } });
    const names = [
      "node_modules/.cache/x",
      "node_modules/dep/y",
      "sub/node_modules/z",
      "packages/b/vendor/w",
    ];
    const add = names.map((name) => `mkdir -p $(dirname ${name}) && echo bad > ${name}`).join(" && ");
    const odd = "printf bad > \"$(printf 'node_modules/dep/\\377')\"";
    expect(await prover.run("main", `${add} && ${odd}`)).toMatchObject({ run: { exit: 0 } });
    expect(await prover.run("main", `${look} # again`)).toMatchObject({ run: { tail: seen } });
    expect(setUps(ground)).toBe(1);
  });

  it.each([
    "echo bad > node_modules/dep/index.js",
    "echo evil > packages/a/node_modules/dep/index.js; touch -r node_modules packages/a/node_modules/dep/index.js",
    "rm packages/a/node_modules/dep/index.js",
    "rm -r node_modules; ln -s packages node_modules",
    "find node_modules packages -depth -exec chmod 000 {} +",
  ])("are created again after `%s`", async (command) => {
    using ground = provingGround();
    using prover = await Prover.open({ ...ground.options, setup });
    expect(await prover.run("main", command)).toMatchObject({ run: { exit: 0 } });
    expect(await prover.run("main", look)).toMatchObject({ run: { tail: seen } });
    expect(setUps(ground)).toBe(2);
  });

  it("are rejected if they cannot be distinguished from files to delete", async () => {
    using ground = provingGround();
    const deep = "mkdir node_modules; for i in $(seq 600); do mkdir deeper && cd deeper || exit 0; done";
    const { error } = await ground.check("true", { setup: [["sh", "-c", deep]] });
    expect(error).toContain("the setup left folders that cannot be removed");
    expect(await ground.check("ls", { setup: [] })).toMatchObject({ tail: "a.txt\n" });
  });

  it("are created again if their record was truncated", async () => {
    using ground = provingGround();
    using prover = await Prover.open({ ...ground.options, setup });
    await prover.run("main", look);
    const record = join(dirname(prover.folder), "setup-key");
    const whole = readFileSync(record);
    for (const length of [0, 10, whole.length - 65, whole.length - 2]) {
      writeFileSync(record, whole.subarray(0, length));
      expect(await prover.run("main", `${look} # ${length}`)).toMatchObject({ run: { tail: seen } });
    }
    expect(setUps(ground)).toBe(5);
  });
});

describe("the files of `npm ci`", () => {
  const lock = JSON.stringify({ name: "p", lockfileVersion: 3, requires: true, packages: { "": {} } });
  const files = { "package.json": '{"name":"p"}', "package-lock.json": lock, "src/a.js": "" };

  /** How often each commit was set up, by the commands that ran for it. */
  async function proving(ground: ProvingGround) {
    const setUps: string[] = [];
    const prover = await Prover.open({ ...ground.options, onProgress: (line) => setUps.push(line) });
    return { prover, setUps, [Symbol.dispose]: () => prover[Symbol.dispose]() };
  }

  it("are created again for another lock file, and reused for other code", async () => {
    using ground = provingGround(files);
    using proof = await proving(ground);
    for (const [path, text, count] of [
      ["src/a.js", "1;", 1],
      ["src/a.js", "2;", 1],
      ["package-lock.json", `${lock}\n`, 2],
      ["packages/b/package.json", '{"name":"b"}', 3],
      ["packages/b/index.js", "", 3],
    ] as const) {
      ground.write(`main/${path}`, text);
      ground.commit();
      expect(await proof.prover.run("main", "true")).toMatchObject({ run: { exit: 0 } });
      expect(proof.setUps).toHaveLength(count);
    }
  });

  it("are created with each tree's own code if the installation runs some", async () => {
    const manifest = '{"name":"p","scripts":{"postinstall":"node scripts/setup.js"}}';
    const setup = (text: string) =>
      `require("fs").mkdirSync("node_modules", { recursive: true }); require("fs").writeFileSync("node_modules/checker", "${text}\\n");`;
    using ground = provingGround({ ...files, "package.json": manifest, "scripts/setup.js": setup("honest") });
    const base = ground.git("rev-parse", "HEAD");
    ground.write("main/scripts/setup.js", setup("bought"));
    const branch = ground.commit();
    using proof = await proving(ground);
    for (const [commit, tail] of [
      [branch, "bought\n"],
      [base, "honest\n"],
    ] as const)
      expect(await proof.prover.run(commit, "cat node_modules/checker")).toMatchObject({ run: { tail } });
  });
});

describe("a check that leaves", () => {
  const list = "find . -path ./.git -prune -o -printf '%p %m %l\\n' | sort";

  function furnished(): ProvingGround {
    const ground = provingGround({ "src/a.txt": "a\n", "vendor/b.txt": "b\n", "run.sh": "true\n" });
    chmodSync(ground.place("main/run.sh"), 0o755);
    symlinkSync("src/a.txt", ground.place("main/link"));
    mkdirSync(ground.place("main/sub"));
    ground.git("update-index", "--add", "--cacheinfo", `160000,${ground.git("rev-parse", "HEAD")},sub`);
    ground.commit();
    return ground;
  }

  it.each([
    "mkdir src/.git && echo x > src/.git/x",
    "mkdir -p vendor/.git vendor/new && echo x > vendor/.git/x && echo x > vendor/new/x",
    "echo x > sub/x && mkdir sub/.git sub/node_modules && echo x > sub/.git/x",
    "git init -q nested && echo x > nested/x",
    "mkdir -p .cache/.git src/deep/empty node_modules/.git",
    "chmod 444 src/a.txt run.sh; chmod 777 src; chmod 500 .",
    "rm -r src; ln -s /tmp src",
    "rm src/a.txt; mkdir src/a.txt; touch src/a.txt/x",
    "printf x > \"$(printf 'src/\\377')\"",
    "for top in src target; do (for i in $(seq 600); do mkdir -p $top/deeper && cd $top/deeper || exit; done); done 2>&1; true",
  ])("something (`%s`) leaves nothing of it for the next", async (command) => {
    using ground = furnished();
    using prover = await Prover.open(ground.options);
    const before = (await prover.run("main", list)) as Proven;
    expect(before.run.tail).toContain("./src/a.txt 644");
    expect(await prover.run("main", command)).toMatchObject({ run: { exit: 0 } });
    expect(await prover.run("main", `${list} # again`)).toMatchObject({ run: { tail: before.run.tail } });
  });

  it("folders closed to their owner does not stop the next", async () => {
    using ground = provingGround({ "src/a.txt": "a\n" });
    const close = "mkdir -p target/x/y src/z && chmod 000 src/z target/x && chmod 000 src";
    const commands = ["mkdir -p target/x; chmod 000 target/x", close, list];
    const runs = await runOrdinarily(ground, ground.options, commands);
    expect(runs.map(({ run }) => run.exit)).toEqual([0, 0, 0]);
    expect(runs[2]?.run.tail).toBe(". 755 \n./src 755 \n./src/a.txt 644 \n");
  });
});

describe("what a check attaches to files and folders", () => {
  const files = {
    "a.txt": "a\n",
    "src/a.txt": "a\n",
    "src/b.txt": "b\n",
    "src/deep/b.txt": "b\n",
    "vendor/c.txt": "c\n",
  };
  const install = [
    "mkdir -p node_modules/dep packages/a/node_modules",
    "echo good | tee node_modules/dep/index.js > packages/a/node_modules/x; echo good > .pnp.cjs",
    "ln -s ../src node_modules/linked",
    'echo x >> "$HOME/counts/set-ups"',
  ].join(" && ");
  const setup = [["sh", "-c", install]];
  const setUps = (ground: ProvingGround) => (ground.read("home/counts/set-ups") ?? "").length / 2;

  const python = (code: string) => `python3 -c "${code}"`;
  /** New files in the folder can be read by nobody. */
  const acl = (path: string) =>
    python(
      `import os,struct; os.setxattr('${path}', 'system.posix_acl_default', struct.pack('<I',2) + b''.join(struct.pack('<HHI',*one) for one in [(1,0,0xffffffff),(4,0,0xffffffff),(32,0,0xffffffff)]))`,
    );
  const attribute = (path: string) => python(`import os; os.setxattr('${path}', 'user.evil', b'x')`);
  /** Prints every path that has attributes. */
  const list = python(
    "import os; print('seen', *sorted(p for top, ds, fs in os.walk('.') if '/.git' not in top for p in [top, *(top + '/' + f for f in fs)] if os.listxattr(p, follow_symlinks=False)))",
  );

  const isMissing = (() => {
    using folder = temporaryFolder();
    const { status, stderr } = spawnSync("sh", ["-c", `${acl(".")} && ${attribute(".")}`], {
      cwd: folder.path,
      encoding: "utf8",
    });
    return status === 0 ? undefined : stderr;
  })();
  const lacksAttributes = skipLoudly("THE TESTS OF ATTRIBUTES OF FILES", isMissing, { isWanted: false });

  it.skipIf(lacksAttributes).each<[what: string, command: string, setUps: number]>([
    ["default permissions of a tracked folder", acl("src"), 1],
    ["default permissions of nested folders", `${acl("src")}; ${acl("src/deep")}`, 1],
    ["default permissions of the checkout", acl("."), 1],
    ["default permissions of a new folder", `mkdir src/new; ${acl("src/new")}`, 1],
    ["default permissions of a folder that was replaced", `mkdir x; ${acl("x")}; rm -r src; mv x src`, 1],
    ["default permissions of a closed folder", `${acl("src")}; chmod 000 src`, 1],
    ["default permissions of a setup's folder", acl("node_modules"), 1],
    ["default permissions of a folder in a setup's", acl("node_modules/dep"), 1],
    ["default permissions of folders above a setup's", `${acl("packages")}; ${acl("packages/a")}`, 1],
    ["default permissions of a tracked folder with a kept name", acl("vendor"), 1],
    ["an attribute of a tracked folder", attribute("src"), 1],
    ["an attribute of the checkout", attribute("."), 1],
    ["an attribute of a tracked file", attribute("src/a.txt"), 1],
    ["an attribute of a file at the top", attribute("a.txt"), 1],
    ["an attribute of a setup's folder", attribute("packages/a/node_modules"), 1],
    ["an attribute of a setup's file", attribute("node_modules/dep/index.js"), 2],
    ["an attribute of a setup's file at the top", attribute(".pnp.cjs"), 2],
  ])("is gone for the next: %s", async (_, command, count) => {
    using ground = provingGround(files);
    using prover = await Prover.open({ ...ground.options, setup });
    await prover.run("main", "true");
    expect(await prover.run("main", `rm src/b.txt; ${command}; exit 1`)).toMatchObject({ run: { exit: 1 } });
    const use = "for d in . src src/deep vendor node_modules; do echo x > $d/y && cat $d/y || exit; done";
    expect(await prover.run("main", `cat src/*.txt && ${list} && ${use}`)).toMatchObject({
      run: { exit: 0, tail: "a\nb\nseen\nx\nx\nx\nx\nx\n" },
    });
    expect(setUps(ground)).toBe(count);
  });

  /** Identifies a file, even if a later one has the same inode. */
  const identity = (file: string) => {
    const { ino, birthtimeNs } = statSync(file, { bigint: true });
    return `${ino} ${birthtimeNs}`;
  };
  const folders = [
    "",
    "src",
    "src/deep",
    "vendor",
    "node_modules",
    "node_modules/dep",
    "packages",
    "packages/a",
  ];
  const inFolders = [
    "a.txt",
    "src/a.txt",
    "src/deep/b.txt",
    "vendor/c.txt",
    ".pnp.cjs",
    "node_modules/dep/index.js",
  ];

  it.each<[string, string]>([
    ["that were changed", `chmod 700 . ${folders.join(" ")}; chmod 755 . ${folders.join(" ")}`],
    [
      "in which files were made",
      `for d in . ${folders.join(" ")}; do mkdir $d/out; touch $d/out/x $d/y; done`,
    ],
  ])("is gone with the folders %s, and the files in them stay", async (_, command) => {
    using ground = provingGround(files);
    mkdirSync(ground.place("outside"));
    ground.write("outside/file", "outside\n");
    symlinkSync(ground.place("outside"), ground.place("main/src/link"));
    ground.commit();
    using prover = await Prover.open({ ...ground.options, setup });
    const identities = (paths: readonly string[]) => paths.map((path) => identity(join(prover.folder, path)));
    const look =
      "find . -path ./.git -prune -o -printf '%p %m %l\\n' | sort; find . -name '*.txt' | sort | xargs cat";
    const before = (await prover.run("main", look)) as Proven;
    await prover.run("main", "true # after it, nothing was written just before");
    const [made, kept, outside] = [
      identities(folders),
      identities(inFolders),
      identity(ground.place("outside")),
    ];
    await prover.run("main", command);
    expect(await prover.run("main", `${look} # again`)).toMatchObject({ run: { tail: before.run.tail } });
    expect(identities(folders).filter((one) => made.includes(one))).toEqual([]);
    expect(identities(inFolders)).toEqual(kept);
    expect([identity(ground.place("outside")), setUps(ground)]).toEqual([outside, 1]);
    // What was moved counts as unchanged from then on.
    expect(await prover.run("main", `${look} # and again`)).toMatchObject({ run: { tail: before.run.tail } });
    expect([identities(inFolders), setUps(ground)]).toEqual([kept, 1]);
  });

  it("is gone beside folders of a setup that are read-only, which stay too", async () => {
    using ground = provingGround(files);
    const readOnly = [["sh", "-c", `${install} && chmod 555 node_modules packages/a/node_modules`]];
    const options = { ...ground.options, setup: readOnly };
    const look = "find . -path ./.git -prune -o -printf '%p %m\\n' | sort";
    const [before, , after] = await runOrdinarily(ground, options, [
      look,
      "touch new packages/a/new",
      `${look} #`,
    ]);
    expect(before?.run.tail).toContain("./node_modules 555");
    expect([after?.run.tail, setUps(ground)]).toEqual([before?.run.tail, 1]);
  });

  it("is gone with a file that has its old content, size and times", async () => {
    using ground = provingGround(files);
    using prover = await Prover.open(ground.options);
    await prover.run("main", "true");
    const file = join(prover.folder, "src/a.txt");
    const before = identity(file);
    await prover.run("main", "chmod 600 src/a.txt; chmod 644 src/a.txt");
    await prover.run("main", "true # again");
    expect(identity(file)).not.toBe(before);
  });

  it.each<[string, (slot: string) => void]>([
    ["is unknown", (slot) => rmSync(join(slot, "written"))],
    ["was not written completely", (slot) => writeFileSync(join(slot, "written"), "")],
    [
      "belongs to files with other permissions",
      (slot) => writeFileSync(join(slot, "written"), `0 ${Date.now()}`),
    ],
  ])("is gone if the time of the files %s", async (_, damage) => {
    using ground = provingGround(files);
    using prover = await Prover.open(ground.options);
    await prover.run("main", "true");
    const before = inFolders.slice(0, 4).map((path) => identity(join(prover.folder, path)));
    damage(dirname(prover.folder));
    expect(await prover.run("main", "cat src/a.txt")).toMatchObject({ run: { exit: 0, tail: "a\n" } });
    const after = inFolders.slice(0, 4).map((path) => identity(join(prover.folder, path)));
    expect(after.filter((one) => before.includes(one))).toEqual([]);
  });
});

describe("a path that is of another kind in the next commit", () => {
  it("is of that kind for its check, and no link is followed", async () => {
    using ground = provingGround();
    const path = ground.place("main/x");
    const kinds: readonly [string, () => void][] = [
      ["x f", () => writeFileSync(path, "x\n")],
      ["x d,x/y d,x/y/z f", () => ground.write("main/x/y/z", "z\n")],
      ["x l", () => symlinkSync(ground.place("outside"), path)],
      [
        "x d",
        () =>
          ground.git("update-index", "--add", "--cacheinfo", `160000,${ground.git("rev-parse", "HEAD")},x`),
      ],
    ];
    ground.write("outside/y/z", "outside\n");
    const commits = kinds.map(([seen, make]) => {
      ground.git("rm", "-rfq", "--cached", "--ignore-unmatch", "x");
      rmSync(path, { recursive: true, force: true });
      make();
      if (existsSync(path) || seen === "x l") ground.git("add", "x");
      ground.git("commit", "-qm", seen);
      return { seen, commit: ground.git("rev-parse", "HEAD") };
    });
    using prover = await Prover.open(ground.options);
    const look = "find x -printf '%p %y\\n' | sort | paste -sd,";
    for (const from of commits)
      for (const to of commits) {
        await prover.run(from.commit, `true # ${to.seen}`);
        expect(await prover.run(to.commit, `${look} # ${from.seen}`)).toMatchObject({
          run: { tail: `${to.seen}\n` },
        });
      }
    expect(ground.read("outside/y/z")).toBe("outside\n");
  });
});

describe("a process that is ended while it makes the folder of a proof checkout anew", () => {
  it.each<[string, string]>([
    ["git's folder", ".git"],
    ["a file", "a.txt"],
  ])("after it moved %s leaves nothing for the next check", async (_, moved) => {
    using ground = provingGround();
    using prover = await Prover.open(ground.options);
    await prover.run("main", "true");
    const half = `${prover.folder}.0123`;
    mkdirSync(half);
    renameSync(join(prover.folder, moved), join(half, moved));
    expect(await prover.run("main", "ls")).toMatchObject({ run: { exit: 0, tail: "a.txt\n" } });
    expect(existsSync(half)).toBe(false);
  });
});

describe("a git filter", () => {
  it("does not run on checked files, which is reported once", async () => {
    using ground = provingGround({ "scripts/smudge.sh": "", ".gitattributes": "*.gen filter=fmt\n" });
    const smudge = `#!/bin/sh\ntouch '${ground.place("ran")}'\nsed s/stored/smudged/\n`;
    ground.write(
      "home/.gitconfig",
      '[filter "fmt"]\n\tsmudge = ./scripts/smudge.sh\n[filter "unused"]\n\tsmudge = x\n',
    );
    chmodSync(ground.write("main/scripts/smudge.sh", smudge), 0o755);
    for (const name of ["y", "z"]) ground.write(`main/${name}.gen`, "stored\n");
    const commit = ground.commit();
    const lines: string[] = [];
    const options = { ...ground.options, onProgress: (line: string) => lines.push(line) };
    using prover = await Prover.open(options);
    for (const round of [1, 2])
      expect(await prover.run(commit, `cat z.gen # ${round}`)).toMatchObject({ run: { tail: "stored\n" } });
    expect(existsSync(ground.place("ran"))).toBe(false);
    expect(lines.filter((line) => line.includes("filter"))).toEqual([
      "git's filter `fmt` does not run for checks: they see y.gen and 1 more as committed",
    ]);
  });
});

describe("an untracked file that checks get a copy of", () => {
  it("does not follow a link of the tree at its path or above it", async () => {
    using ground = provingGround();
    mkdirSync(ground.place("outside"));
    symlinkSync(ground.place("outside/new"), ground.place("main/.env"));
    symlinkSync(ground.place("outside"), ground.place("main/config"));
    const commit = ground.commit();
    rmSync(ground.place("main/.env"));
    rmSync(ground.place("main/config"));
    ground.write("main/.env", "A=1\n");
    ground.write("main/config/local.env", "B=2\n");
    const options = { commit, include: [".env", "config/local.env", "missing"], sandbox: "off" as const };
    expect(await ground.check("true", options)).toMatchObject({ exit: 0, error: "" });
    expect(execFileSync("ls", ["-A", ground.place("outside")], { encoding: "utf8" })).toBe("");
  });

  it("does not replace a tracked file, also in a folder", async () => {
    using ground = provingGround({ ".env": "tracked\n", "keys/one": "tracked\n" });
    ground.write("main/.env", "changed\n");
    ground.write("main/keys/one", "changed\n");
    ground.write("main/keys/two", "2\n");
    const { tail } = await ground.check("cat .env keys/*", { include: [".env", "keys"] });
    expect(tail).toBe("tracked\ntracked\n2\n");
  });
});

describe("a checkout for checks", () => {
  it("has one user at a time, and is free when that process has died", () => {
    using folder = temporaryFolder();
    const one = takeSlot(folder.path);
    using two = takeSlot(folder.path);
    expect([one.folder, two.folder]).toEqual([join(folder.path, "0"), join(folder.path, "1")]);
    one[Symbol.dispose]();
    for (const left of ["", "garbage", "null", '{"pid":999999999,"startedAt":"1","boot":"x"}']) {
      folder.write("0/user.json", left);
      using again = takeSlot(folder.path);
      expect(again.folder).toBe(join(folder.path, "0"));
    }
    expect(existsSync(join(folder.path, "0/user.json"))).toBe(false);
  });

  it("fails with E-GIT if its folder has no repository", async () => {
    using ground = provingGround();
    const checkout = openProofCheckout(ground.place("nowhere"));
    await expect(checkout.show("main")).rejects.toMatchObject({ code: "E-GIT" });
    checkout[Symbol.dispose]();
  });
});
