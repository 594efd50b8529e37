import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { Prover } from "../../src/proof/prover.ts";
import { isHeld } from "../support/held-file.ts";
import { atHome, inTmp, type ProvingGround, provingGround } from "../support/proving-ground.ts";
import { missing } from "../support/sandboxed.ts";

const files = { "a.txt": "committed\n", ".gitignore": "dist/\nnode_modules/\n" };
const settings = [inTmp, atHome];

/** A realistic home and a repository in use. */
function furnished(layout: (typeof settings)[number]): ProvingGround {
  const ground = provingGround(files, layout);
  ground.write("main/.git/lockstep/state.db", "secret-of-ledger\n");
  ground.write("home/.bashrc", "secret-of-home\n");
  ground.write("home/.ssh/id", "secret-of-home\n");
  ground.write("home/.npmrc", "secret-of-registry\n");
  ground.write("home/.cargo/credentials.toml", "secret-of-registry\n");
  ground.write("home/.cargo/bin/tool", "shown\n");
  return ground;
}

describe.skipIf(missing !== undefined).each(settings)("with a repository $where, a check", (layout) => {
  it("writes neither the main checkout, its repository, the ledger, another checkout, the home nor its own git folder", async () => {
    using ground = furnished(layout);
    using prover = await Prover.open(ground.options);
    using neighbour = await Prover.open(ground.options);
    await prover.run("HEAD", "true");
    await neighbour.run("HEAD", "true");
    const slot = dirname(prover.folder);
    const main = ["main/new.txt", "main/a.txt", "main/.git/refs/heads/main", "main/.git/config"];
    const home = ["home/.bashrc", "home/.npmrc", "home/.ssh/id", "home/new", "home/.cargo/bin/tool"];
    const paths = [
      ...[...main, "main/.git/lockstep/state.db", ...home].map(ground.place),
      ...["user.json", "setup-key", "new"].map((name) => join(slot, name)),
      ...["a.txt", ".git/config"].map((name) => join(neighbour.folder, name)),
      ...["config", "HEAD", "index", "hooks/post-checkout"].map((name) => join(prover.folder, ".git", name)),
    ];
    const contents = () => paths.map((path) => existsSync(path) && readFileSync(path, "latin1"));
    const before = contents();
    const lines = paths.map((path) => `(echo x > '${path}') 2>/dev/null && echo 'wrote ${path}'`);
    const tricks = ["mv .git .moved", "rm -rf .git", "git config a.b c", "git checkout -q -b x", "git gc -q"];
    const tried = tricks.map((trick) => `(${trick}) >/dev/null 2>&1 && echo 'did ${trick}'`);
    const proven = await prover.run("HEAD", [...lines, ...tried, "echo end"].join("\n"));
    expect(proven).toMatchObject({ run: { exit: 0, tail: "end\n" } });
    expect(contents()).toEqual(before);
    expect(ground.git("for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
  });

  it("reads nothing of the ledger, of other checkouts and of the home except tools", async () => {
    using ground = furnished(layout);
    ground.write("main/.env", "secret-of-env\n");
    using neighbour = await Prover.open(ground.options);
    await neighbour.run("HEAD", "true");
    const hidden = ["main/.git/lockstep/state.db", "home/.bashrc", "home/.ssh/id", "home/.npmrc"];
    const paths = [...hidden, "home/.cargo/credentials.toml"].map(ground.place);
    const command = `cat ${paths.join(" ")} ${neighbour.folder}/.env; cat ${ground.place("home/.cargo/bin/tool")}`;
    const { tail } = await ground.check(command, { include: [] });
    expect(tail).not.toContain("secret");
    expect(tail).toMatch(/\nshown\n$/);
  });

  it("ends with its children, including those in other sessions", async () => {
    using ground = furnished(layout);
    using prover = await Prover.open(ground.options);
    const started = "until ! flock --nonblock child true; do sleep 0.01; done";
    const command = `setsid nohup flock child sleep 30 > /dev/null 2>&1 & ${started}`;
    const proven = await prover.run("HEAD", command);
    expect(proven).toMatchObject({ run: { exit: 0 } });
    expect(isHeld(join(prover.folder, "child"))).toBe(false);
  });

  it("can do what checks need: read git, write ignored output, temporary files and caches, run Node and Python", async () => {
    using ground = furnished(layout);
    ground.write("main/sum.test.mjs", 'import test from "node:test"; test("adds", () => {});\n');
    ground.write(
      "main/test_sum.py",
      "import unittest\nclass T(unittest.TestCase):\n  def test(self): pass\n",
    );
    ground.commit();
    const python = spawnSync("python3", ["--version"]).status === 0;
    const commands = [
      "git status --short && git log --format=%s && git diff --stat HEAD && git ls-files",
      "mkdir dist && echo x > dist/out && cat dist/out",
      'f=$(mktemp) && echo x > "$f" && cat "$f" && echo x > /var/tmp/x && echo x > /dev/shm/x',
      'echo x > "$XDG_CACHE_HOME/made" && cat "$XDG_CACHE_HOME/made"',
      `'${process.execPath}' --test`,
      ...(python ? ["python3 -m unittest -q test_sum"] : []),
    ];
    using prover = await Prover.open(ground.options);
    for (const command of commands)
      expect(await prover.run("HEAD", command), command).toMatchObject({ run: { exit: 0 } });
  });

  it("has the packages of `npm ci`, and workspace packages are those of its own tree", async () => {
    using ground = furnished(layout);
    const test = "node -e 'process.exit(require(\"one\") === 1 ? 0 : 1)'";
    ground.write("main/package.json", JSON.stringify({ workspaces: ["packages/*"], scripts: { test } }));
    ground.write("main/packages/one/package.json", '{"name":"one","version":"1.0.0"}');
    ground.write("main/packages/one/index.js", "module.exports = 1;\n");
    const made = spawnSync("npm", ["install", "--offline", "--no-audit"], { cwd: ground.place("main") });
    expect(made.status, String(made.stderr)).toBe(0);
    ground.commit();
    ground.write("main/packages/one/index.js", "module.exports = 2;\n");
    using prover = await Prover.open(ground.options);
    expect(await prover.run("HEAD", "npm test")).toMatchObject({ run: { exit: 0 } });
    const broken = ground.commit();
    expect(await prover.run(broken, "npm test")).toMatchObject({ run: { exit: 1 } });
  });

  it("neither reads nor writes a cache of the person, and its own cache is empty for each check", async () => {
    using ground = furnished(layout);
    const own = [".gradle/init.d/x", ".npm/_npx/x", ".cache/git/credential/socket", ".m2/repository/x"];
    const theirs = [...own, "go/pkg/mod/x", ".cargo/registry/x", ".bun/install/cache/x", ".yarn/berry/x"];
    for (const name of theirs) ground.write(`home/${name}`, "secret-of-home\n");
    const tried = theirs.map((name) => `cat "$HOME/${name}"; echo bad > "$HOME/${name}"`).join("; ");
    const variables = ["XDG_CACHE_HOME", "npm_config_cache", "CARGO_HOME", "GOPATH", "GOMODCACHE"];
    const folders = [...variables, "GRADLE_USER_HOME", "YARN_GLOBAL_FOLDER", "BUN_INSTALL_CACHE_DIR"];
    const mark = folders
      .map((name) => `test ! -e "$${name}/m1" && mkdir -p "$${name}" && touch "$${name}/m1"`)
      .join(" && ");
    for (const round of [1, 2]) {
      const { exit, tail } = await ground.check(`(${tried}) 2>&1 | grep secret; ${mark} # ${round}`);
      expect({ exit, tail }).toEqual({ exit: 0, tail: "" });
    }
    for (const name of theirs) expect(ground.read(`home/${name}`)).toBe("secret-of-home\n");
  });

  it("reads the downloads of its setup, which are kept for the next setup by the same program only", async () => {
    using ground = furnished(layout);
    ground.write("home/.cargo/config.toml", "# the person's\n");
    const fetch = [
      'echo x >> "$XDG_CACHE_HOME/count" && echo x >> "$CARGO_HOME/registry/count" && echo x > "$CARGO_HOME/x"',
      'mkdir node_modules && cp "$XDG_CACHE_HOME/count" node_modules/ && cat "$CARGO_HOME/config.toml"',
    ].join(" && ");
    const look = [
      'wc -l < node_modules/count; wc -l < "$CARGO_HOME/registry/count"; cat "$CARGO_HOME/config.toml"',
      'ls -A "$XDG_CACHE_HOME"; (echo x >> "$CARGO_HOME/registry/count") 2>/dev/null || echo closed',
    ].join("; ");
    for (const [program, count] of [
      ["sh", 1],
      ["sh", 2],
      ["bash", 1],
      ["sh", 3],
    ] as const) {
      ground.write("main/a.txt", `${program} ${count}\n`);
      ground.commit();
      const { tail, error } = await ground.check(look, { setup: [[program, "-c", fetch]] });
      expect({ tail, error }).toEqual({
        error: "",
        tail: `${count}\n${count}\n# the person's\nclosed\n`,
      });
    }
    const { tail } = await ground.check('ls -A "$CARGO_HOME"; cat "$CARGO_HOME/credentials.toml" 2>&1', {
      setup: [["npm", "--version"]],
    });
    expect(tail).toMatch(/^config.toml\ncredentials.toml\ncat: .*No such file or directory\n$/);
  });

  it("does not follow a link that a setup left among its downloads", async () => {
    using ground = furnished(layout);
    const leave =
      'rm -r "$GOMODCACHE" && ln -s "$HOME/.ssh" "$GOMODCACHE" && rm -r "$CARGO_HOME/registry/" || true';
    for (const round of [1, 2]) {
      ground.write("main/a.txt", `${round}\n`);
      ground.commit();
      const { tail } = await ground.check('mkdir -p "$GOMODCACHE" && ls -A "$GOMODCACHE"', {
        setup: [["sh", "-c", leave]],
      });
      expect(tail).toBe("");
    }
    expect(ground.read("home/.ssh/id")).toBe("secret-of-home\n");
  });

  it("uses the person's own cache if the configuration opens it", async () => {
    using ground = furnished(layout);
    ground.write("home/.npm/x", "opened\n");
    ground.write("home/.cache/browsers/x", "opened\n");
    const command = 'echo "$npm_config_cache"; cat "$HOME/.npm/x" "$XDG_CACHE_HOME/browsers/x"';
    const { tail } = await ground.check(command, { home: [".npm", ".cache/browsers"] });
    expect(tail).toBe("\nopened\nopened\n");
  });

  it("cannot read the credentials that its setup may read", async () => {
    using ground = furnished(layout);
    const read = 'mkdir node_modules && cat "$HOME/.npmrc" > node_modules/read';
    const setup = [["sh", "-c", read]];
    const command = 'cat node_modules/read; cat "$HOME/.npmrc" || echo none';
    const { tail } = await ground.check(command, { setup });
    expect(tail).toMatch(/^secret-of-registry\n.*No such file or directory\nnone\n$/);
    const write = await ground.check("true", { setup: [["sh", "-c", 'echo x > "$HOME/.npmrc"']] });
    expect(write.error).toContain("the setup `sh -c");
    expect(ground.read("home/.npmrc")).toBe("secret-of-registry\n");
  });

  it("writes only the opened folders of the home", async () => {
    using ground = furnished(layout);
    ground.write("home/.docker/config.json", "{}\n");
    const command =
      'echo x > "$HOME/.docker/config.json"; echo x > "$HOME/.cargo/new"; echo x > "$HOME/other"';
    const { tail } = await ground.check(command, { home: [".docker", ".cargo", ".nowhere"] });
    expect(tail).toMatch(/^sh: .*other.*\n$/);
    expect(ground.read("home/.docker/config.json")).toBe("x\n");
    expect(ground.read("home/.cargo/new")).toBe("x\n");
  });

  it("finds the programs in the home, and the files beside them that they need", async () => {
    using ground = furnished(layout);
    const tool = ground.write("home/tools/bin/greet", '#!/bin/sh\ncat "$(dirname "$0")/../lib/words"\n');
    ground.write("home/tools/lib/words", "hello\n");
    ground.write("home/tools/private", "secret\n");
    spawnSync("chmod", ["+x", tool]);
    const path = process.env.PATH;
    process.env.PATH = `${dirname(tool)}:${path}`;
    try {
      const { tail } = await ground.check('greet; ls -A "$HOME/tools"; echo x > "$HOME/tools/bin/greet"');
      expect(tail).toMatch(/^hello\nbin\nlib\nsh: .*Read-only file system\n$/);
    } finally {
      process.env.PATH = path;
    }
  });

  it("that is stopped leaves nothing in the temporary folder", async () => {
    using ground = furnished(layout);
    using prover = await Prover.open({ ...ground.options, checkMsMax: 300 });
    await prover.run("HEAD", 'echo x > "$TMPDIR/x"; mkdir "$TMPDIR/y"; sleep 60');
    const names = ["reports", "setup-key", "tree", "user.json", "written"];
    expect(readdirSync(dirname(prover.folder)).sort()).toEqual(names);
  });
});

describe("a repository that is the home itself", () => {
  it.skipIf(missing !== undefined)("is not visible as a whole to its checks", async () => {
    using ground = provingGround({ "a.txt": "committed\n" });
    ground.write("main/.bashrc", "secret-of-home\n");
    process.env.HOME = ground.place("main");
    const { exit, tail } = await ground.check('cat a.txt; cat "$HOME/.bashrc"; git log --format=%s');
    expect({ exit, tail: tail.replace(/^cat:.*\n/m, "") }).toEqual({ exit: 0, tail: "committed\na\n" });
  });
});

describe("a prover", () => {
  /** A PATH with the programs that checks need, but no sandbox. */
  function withoutBubblewrap(ground: ProvingGround): Disposable {
    const before = process.env.PATH ?? "";
    mkdirSync(ground.place("programs"));
    for (const program of ["git", "sh", "mkfifo", "cat", "chmod"]) {
      const found = spawnSync("sh", ["-c", `command -v ${program}`], { encoding: "utf8" }).stdout.trim();
      symlinkSync(found, ground.place(`programs/${program}`));
    }
    process.env.PATH = ground.place("programs");
    return {
      [Symbol.dispose]: () => {
        process.env.PATH = before;
      },
    };
  }

  it("does not start if a sandbox is required and not available", async () => {
    using ground = provingGround();
    using _ = withoutBubblewrap(ground);
    await expect(Prover.open({ ...ground.options, sandbox: "required" })).rejects.toMatchObject({
      code: "R-PE-003",
      message: expect.stringMatching(
        /^`sandbox: required`, but no sandbox is available: the program `bwrap` is not on PATH/,
      ),
    });
    expect(existsSync(ground.place("state/lockstep"))).toBe(false);
  });

  it("gives the reason for a missing sandbox, and runs without one", async () => {
    using ground = provingGround();
    using _ = withoutBubblewrap(ground);
    using prover = await Prover.open(ground.options);
    expect(prover.isolation).toEqual({
      sandbox: "none",
      missing: expect.stringContaining("`bwrap` is not on PATH"),
    });
    const changed = { base: "HEAD", changed: ["a.txt"] };
    const proven = await prover.run("HEAD", 'cat "$LOCKSTEP_CHANGED" "$TMPDIR/lockstep-changed"', changed);
    expect(proven).toMatchObject({ run: { exit: 0, tail: "a.txt\na.txt\n" } });
  });

  it("needs no sandbox if the sandbox is off", async () => {
    using ground = provingGround();
    using prover = await Prover.open({ ...ground.options, sandbox: "off" });
    expect(prover.isolation).toEqual({ sandbox: "none" });
    expect(basename(prover.folder)).toBe("tree");
  });

  it.skipIf(missing !== undefined)("isolates checks if a sandbox is available", async () => {
    using ground = provingGround();
    using prover = await Prover.open({ ...ground.options, sandbox: "required" });
    expect(prover.isolation).toEqual({ sandbox: "bubblewrap" });
  });
});
