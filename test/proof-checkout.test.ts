import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { Prover } from "../src/proof/prover.ts";
import { openProofCheckout } from "../src/workspace/git/proof-checkout.ts";
import { takeSlot } from "../src/workspace/git/proof-slot.ts";
import { inMain, inTmp, type ProvingGround, provingGround } from "./support/proving-ground.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

describe.each([inTmp, inMain])("a proof checkout $where", (layout) => {
  const damages: readonly [string, (tree: string, ground: ProvingGround) => void][] = [
    ["is gone", (tree) => rmSync(tree, { recursive: true })],
    ["has lost its git folder", (tree) => rmSync(join(tree, ".git"), { recursive: true })],
    ["has garbage for a HEAD", (tree) => writeFileSync(join(tree, ".git/HEAD"), "garbage\n")],
    ["has garbage for an index", (tree) => writeFileSync(join(tree, ".git/index"), "garbage\n")],
    ["has garbage for a configuration", (tree) => writeFileSync(join(tree, ".git/config"), "[garbage\n")],
    ["has a lock left behind", (tree) => writeFileSync(join(tree, ".git/index.lock"), "")],
    ["has another lock left behind", (tree) => writeFileSync(join(tree, ".git/HEAD.lock"), "")],
    [
      "has objects that lie nowhere any more",
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

  it.each(damages)("that %s is made anew", async (_, damage) => {
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

  it("of a repository that was moved is made where that is now", async () => {
    using ground = provingGround({ "a.txt": "one\n" }, layout);
    await ground.check("true");
    renameSync(ground.place("main"), ground.place("moved"));
    process.env.XDG_STATE_HOME = ground.place(layout === inMain ? "moved/state" : "state");
    const moved = { root: ground.place("moved"), commonFolder: ground.place("moved/.git") };
    using prover = await Prover.open({ ...ground.options, ...moved });
    expect(await prover.run("main", "cat a.txt")).toMatchObject({ run: { exit: 0, tail: "one\n" } });
  });
});

describe("what a set-up leaves", () => {
  const install = [
    "mkdir -p node_modules/dep packages/a/node_modules/dep dist",
    "echo good > node_modules/dep/index.js",
    "echo good > packages/a/node_modules/dep/index.js",
    "echo stale > dist/out",
    'echo x >> "$HOME/.cache/set-ups"',
  ].join(" && ");
  const setup = [["sh", "-c", install]];
  const setUps = (ground: ProvingGround) => (ground.read("home/.cache/set-ups") ?? "").length / 2;
  const look =
    "cat node_modules/dep/index.js packages/a/node_modules/dep/index.js; find . -path ./.git -prune -o -type f -print | sort";
  const seen = "good\ngood\n./a.txt\n./node_modules/dep/index.js\n./packages/a/node_modules/dep/index.js\n";

  it("is there for every check as it was left, whatever checks add", async () => {
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
  ])("is made again after `%s`", async (command) => {
    using ground = provingGround();
    using prover = await Prover.open({ ...ground.options, setup });
    expect(await prover.run("main", command)).toMatchObject({ run: { exit: 0 } });
    expect(await prover.run("main", look)).toMatchObject({ run: { tail: seen } });
    expect(setUps(ground)).toBe(2);
  });

  it("is made again where its record was cut", async () => {
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

  it("is made again for another lock file", async () => {
    using ground = provingGround({ "a.txt": "", "package-lock.json": "{}\n" });
    using prover = await Prover.open({ ...ground.options, setup });
    await prover.run("main", "true");
    ground.write("main/a.txt", "b\n");
    ground.commit();
    await prover.run("main", "true");
    expect(setUps(ground)).toBe(1);
    ground.write("main/package-lock.json", '{"a":1}\n');
    ground.commit();
    await prover.run("main", "true");
    expect(setUps(ground)).toBe(2);
  });
});

describe("an untracked file that checks get a copy of", () => {
  it("does not follow a link that the tree has in its place or above it", async () => {
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

  it("gives way to one that is tracked, and is no folder", async () => {
    using ground = provingGround({ ".env": "tracked\n" });
    ground.write("main/.env", "changed\n");
    ground.write("main/keys/one", "1\n");
    expect((await ground.check("cat .env")).tail).toBe("tracked\n");
    expect((await ground.check("cat .env", { include: ["keys"] })).error).toBe(
      "`workspace.include` lists `keys`, which is no file: list the files in it",
    );
  });
});

describe("a place for checks", () => {
  it("is one user's at a time, and free when that one is dead", () => {
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

  it("says so when there is no git to be had", async () => {
    using ground = provingGround();
    const checkout = openProofCheckout(ground.place("nowhere"));
    await expect(checkout.show("main")).rejects.toMatchObject({ code: "E-GIT" });
    checkout[Symbol.dispose]();
  });
});
