import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Proven, Prover, type ProverOptions } from "../../src/proof/prover.ts";
import { SlowTeller } from "../../src/proof/tell-slow.ts";
import { copyFolder } from "../../src/workspace/checkouts/copy-folder.ts";
import { networkVariables } from "../../src/workspace/process/network-variables.ts";
import { checkoutsFolder } from "../../src/workspace/state/state-home.ts";
import { type ProvingGround, provingGround } from "../support/proving-ground.ts";

const manifest = '{"name":"x","private":true,"devDependencies":{"a":"1"}}\n';

/** An npm that installs one package and counts its runs; with `scripts` the package has an install script. */
function addNpm(ground: ProvingGround, { scripts = false } = {}): Record<string, string> {
  const lock = `{"packages":{"node_modules/a":{${scripts ? '"hasInstallScript": true' : ""}}}}`;
  const text = [
    "#!/bin/sh",
    'echo "$*" >> "$HOME/counts/runs"',
    "mkdir -p node_modules/a",
    "echo 'module.exports = \"installed\"' > node_modules/a/index.js",
    `echo '${lock}' > node_modules/.package-lock.json`,
  ].join("\n");
  chmodSync(ground.write("home/.local/bin/npm", text), 0o755);
  return { PATH: `${ground.place("home/.local/bin")}:${process.env.PATH}` };
}

const runsOf = (ground: ProvingGround) => (ground.read("home/counts/runs") ?? "").split("\n").slice(0, -1);

/** Each commit with a check of its own, by one prover. */
async function checkAll(
  ground: ProvingGround,
  commits: readonly string[],
  more: Partial<ProverOptions> = {},
) {
  using prover = await Prover.open({ ...ground.options, ...more });
  const runs: Proven[] = [];
  for (const commit of commits) {
    const proven = await prover.run(commit, "node -p 'require(\"a\")'");
    if ("error" in proven) throw new Error(proven.error);
    runs.push(proven);
  }
  return runs;
}

function anotherTree(ground: ProvingGround): string {
  ground.write("main/src.js", `// ${Math.random()}\n`);
  return ground.commit();
}

describe("the packages that a setup installed", () => {
  it.each<[string, boolean, Partial<ProverOptions>, number]>([
    ["without a lock file are used for trees with the same manifests", false, {}, 1],
    ["by a configured `npm install` are used for them too", false, { setup: [["npm", "install"]] }, 1],
    ["with install scripts are installed for each tree", true, {}, 3],
    ["by an arbitrary command are installed for each tree", false, { setup: [["sh", "-c", "npm i"]] }, 3],
  ])("%s", async (_, scripts, more, times) => {
    using ground = provingGround({ "package.json": manifest });
    const before = process.env.PATH;
    try {
      Object.assign(process.env, addNpm(ground, { scripts }));
      const commits = [ground.git("rev-parse", "HEAD"), anotherTree(ground), anotherTree(ground)];
      const runs = await checkAll(ground, commits, more);
      expect(runs.map(({ run }) => run.tail)).toEqual(Array(3).fill("installed\n"));
      expect(runsOf(ground)).toHaveLength(times);
      if (scripts || times === 3) return;
      ground.write("main/package.json", manifest.replace("1", "2"));
      await checkAll(ground, [ground.commit()], more);
      expect(runsOf(ground)).toHaveLength(2);
    } finally {
      process.env.PATH = before;
    }
  });

  it("are restored from the store after a check has changed them", async () => {
    using ground = provingGround({ "package.json": manifest });
    const before = process.env.PATH;
    try {
      Object.assign(process.env, addNpm(ground));
      using prover = await Prover.open(ground.options);
      await prover.run("HEAD", "echo 'module.exports = 1' > node_modules/a/index.js");
      const next = anotherTree(ground);
      expect(await prover.run(next, "node -p 'require(\"a\")'")).toMatchObject({
        run: { tail: "installed\n" },
      });
      expect(runsOf(ground)).toHaveLength(1);
    } finally {
      process.env.PATH = before;
    }
  });

  it("are copied to parallel checks, and restored when a lock file has its old content again", async () => {
    using ground = provingGround({ "package.json": manifest });
    const before = process.env.PATH;
    try {
      Object.assign(process.env, addNpm(ground));
      const first = ground.git("rev-parse", "HEAD");
      ground.write("main/package.json", manifest.replace("1", "2"));
      const second = ground.commit();
      await using prover = await Prover.open({ ...ground.options, proofsMax: 2 });
      const commands = ["node -p 'require(\"a\")' # 1", "node -p 'require(\"a\")' # 2"];
      for (const commit of [first, second, first]) {
        for (const command of commands) prover.startAhead(commit, `${command} ${commit}`);
        for (const command of commands)
          expect(await prover.run(commit, `${command} ${commit}`)).toMatchObject({
            run: { tail: "installed\n" },
          });
      }
      expect(runsOf(ground)).toHaveLength(2);
    } finally {
      process.env.PATH = before;
    }
  });

  it("are stored for the last four lock files, and leftovers of a crash are deleted", async () => {
    using ground = provingGround({ "package.json": manifest });
    const before = process.env.PATH;
    try {
      Object.assign(process.env, addNpm(ground));
      const store = join(checkoutsFolder(ground.place("main/.git")), "setups");
      const half = join(store, `${"a".repeat(64)}.1.half`);
      mkdirSync(half, { recursive: true });
      utimesSync(half, new Date(0), new Date(0));
      const commits = Array.from({ length: 6 }, (_, at) => {
        ground.write("main/package.json", manifest.replace("1", `${at}`));
        return ground.commit();
      });
      await checkAll(ground, commits);
      await expect.poll(() => readdirSync(store).length).toBe(4);
      await checkAll(ground, [commits[5] as string]);
      expect(runsOf(ground)).toHaveLength(6);
      expect(existsSync(half)).toBe(false);
    } finally {
      process.env.PATH = before;
    }
  });

  it("that cannot be stored are used all the same, and the reason is shown", async () => {
    using ground = provingGround({ "package.json": manifest });
    const before = process.env.PATH;
    try {
      Object.assign(process.env, addNpm(ground));
      writeFileSync(join(checkoutsFolder(ground.place("main/.git")), "setups"), "not a folder");
      const lines: string[] = [];
      const runs = await checkAll(ground, ["HEAD"], { onProgress: (line) => lines.push(line) });
      expect(runs.map(({ run }) => run.tail)).toEqual(["installed\n"]);
      expect(lines.filter((line) => line.includes("could not be stored"))).toHaveLength(1);
    } finally {
      process.env.PATH = before;
    }
  });

  it("are stored without files of the commit, which an agent wrote", async () => {
    using ground = provingGround({ "package.json": manifest });
    const before = process.env.PATH;
    try {
      Object.assign(process.env, addNpm(ground));
      const base = ground.git("rev-parse", "HEAD");
      chmodSync(ground.write("main/.venv/bin/node", "#!/bin/sh\necho forged\n"), 0o755);
      ground.write("main/target/x", "x\n");
      const forged = ground.commit();
      ground.write("main/package.json", manifest.replace("1", "2"));
      const other = ground.commit();
      const runs = await checkAll(ground, [forged, other, base]);
      expect(runs.map(({ run }) => run.tail)).toEqual(Array(3).fill("installed\n"));
      const stored = join(ground.place("state"), "lockstep");
      expect(
        readdirSync(stored, { recursive: true }).filter((name) =>
          /setups.*(?:\.venv|target)/.test(String(name)),
        ),
      ).toEqual([]);
      expect(runsOf(ground)).toHaveLength(2);
    } finally {
      process.env.PATH = before;
    }
  });

  it("are installed again by another version of the tool", async () => {
    using ground = provingGround({ "package.json": manifest });
    const before = process.env.PATH;
    try {
      Object.assign(process.env, addNpm(ground));
      await checkAll(ground, ["HEAD"]);
      ground.write("home/.local/bin/npm", `${ground.read("home/.local/bin/npm")}\n# newer\n`);
      await checkAll(ground, [anotherTree(ground)]);
      expect(runsOf(ground)).toHaveLength(2);
    } finally {
      process.env.PATH = before;
    }
  });

  it("by npm itself link the packages of a workspace, and a failure to do so is reported once with its reason", async () => {
    using ground = provingGround({
      "package.json": '{"private":true,"workspaces":["packages/*"]}\n',
      "packages/a/package.json": '{"name":"a","version":"1.0.0"}\n',
      "packages/a/index.js": 'module.exports = "of the workspace";\n',
    });
    const lines: string[] = [];
    const onProgress = (line: string) => lines.push(line);
    const commits = [ground.git("rev-parse", "HEAD"), anotherTree(ground)];
    const runs = await checkAll(ground, commits, { onProgress });
    expect(runs.map(({ run }) => run.tail)).toEqual(Array(2).fill("of the workspace\n"));
    expect(lines.filter((line) => line.startsWith("setting up"))).toEqual([
      "setting up: npm install --no-package-lock --no-audit --no-fund (package.json, without a lock file)",
    ]);
    expect(existsSync(ground.place("main/node_modules"))).toBe(false);
  });

  it("by pip are in a virtual environment, whose Python the checks use", async () => {
    using ground = provingGround({ "requirements.txt": "a\n" });
    const before = process.env.PATH;
    try {
      const environment = `#!/bin/sh\necho ".venv: $*" >> "$HOME/counts/runs"\n`;
      const system = [
        "#!/bin/sh",
        'echo "system: $*" >> "$HOME/counts/runs"',
        "mkdir -p .venv/bin",
        `printf '%s' '${environment}' > .venv/bin/python`,
        "chmod +x .venv/bin/python",
      ].join("\n");
      chmodSync(ground.write("home/.local/bin/python3", system), 0o755);
      process.env.PATH = `${ground.place("home/.local/bin")}:${before}`;
      const check = await ground.check("python -m pytest; echo $VIRTUAL_ENV");
      expect(check).toMatchObject({ error: "", exit: 0, tail: expect.stringMatching(/^\/.*\/\.venv\n$/) });
      expect(runsOf(ground)).toEqual([
        "system: -m venv --system-site-packages .venv",
        ".venv: -m pip install --disable-pip-version-check --quiet -r requirements.txt",
        ".venv: -m pytest",
      ]);
    } finally {
      process.env.PATH = before;
    }
  });
});

describe("a virtual environment that is part of a tree", () => {
  it("hides no program of the system", async () => {
    using ground = provingGround({ "requirements.txt": "" });
    for (const name of ["sh", "npm", "false"])
      chmodSync(ground.write(`main/.venv/bin/${name}`, "#!/bin/sh\nexit 0\n"), 0o755);
    const commit = ground.commit();
    expect(await ground.check("false", { commit, setup: [] })).toMatchObject({ error: "", exit: 1 });
    expect(await ground.check("echo $VIRTUAL_ENV", { commit, setup: [["true"]] })).toMatchObject({
      tail: "\n",
    });
  });
});

describe("an included folder", () => {
  it("is copied for the checks, which cannot change the original, and nothing is installed", async () => {
    using ground = provingGround({ "package.json": manifest, ".gitignore": "node_modules\nkeys\n" });
    ground.write("main/node_modules/a/index.js", 'module.exports = "included";\n');
    ground.write("main/keys/one", "1\n");
    symlinkSync(ground.place("main/package.json"), ground.place("main/node_modules/link.json"));
    const lines: string[] = [];
    const options = { include: ["node_modules", "keys"], onProgress: (line: string) => lines.push(line) };
    using prover = await Prover.open({ ...ground.options, ...options });
    const read = "node -p 'require(\"a\")' && cat keys/one && readlink node_modules/link.json";
    const first = await prover.run("HEAD", `${read} && rm -r node_modules/a keys`);
    expect(first).toMatchObject({
      run: { exit: 0, tail: `included\n1\n${join(prover.folder, "package.json")}\n` },
    });
    expect(lines).toEqual(["nothing is installed: node_modules comes from `workspace.include`"]);
    expect(await prover.run(anotherTree(ground), read)).toMatchObject({ reused: false, run: { exit: 0 } });
    expect(ground.read("main/node_modules/a/index.js")).toContain("included");
    ground.write("main/node_modules/a/index.js", 'module.exports = "newer";\n');
    expect(await prover.run("HEAD", read)).toMatchObject({
      reused: false,
      run: { tail: expect.stringMatching(/^newer\n/) },
    });
  });
});

describe("a copied virtual environment", () => {
  it("refers to the checkout that it was copied into", async () => {
    using ground = provingGround();
    const from = ground.place("main");
    const to = ground.place("to");
    ground.write("to/a", "");
    ground.write("main/.venv/bin/tool", `#!${from}/.venv/bin/python\n`);
    ground.write("main/.venv/lib/python3/site-packages/__editable__.x.pth", `${from}/src\n`);
    ground.write("main/.venv/lib/python3/site-packages/x.py", `here = "${from}"\n`);
    await copyFolder({ from, to, path: ".venv" });
    expect(ground.read("to/.venv/bin/tool")).toBe(`#!${to}/.venv/bin/python\n`);
    expect(ground.read("to/.venv/lib/python3/site-packages/__editable__.x.pth")).toBe(`${to}/src\n`);
    expect(ground.read("to/.venv/lib/python3/site-packages/x.py")).toContain(from);
  });
});

describe("a setup that needs the network", () => {
  const names = [...networkVariables, "SECRET"];

  /** Runs with these variables, and no others of this kind. */
  async function within<Result>(env: Readonly<Record<string, string>>, act: () => Promise<Result>) {
    const before = names.map((name) => [name, process.env[name]] as const);
    for (const name of names) delete process.env[name];
    Object.assign(process.env, env);
    try {
      return await act();
    } finally {
      for (const [name, value] of before) {
        delete process.env[name];
        if (value !== undefined) process.env[name] = value;
      }
    }
  }

  it("has the variables for proxies, registries and certificates, with the files that they name", async () => {
    using ground = provingGround();
    const ca = ground.write("home/certs/ca.pem", "trusted");
    const shown = "$HTTPS_PROXY|$npm_config_registry|$(cat $NODE_EXTRA_CA_CERTS)|$REQUESTS_CA_BUNDLE|$SECRET";
    const env = {
      ...{ HTTPS_PROXY: "http://proxy:1", npm_config_registry: "http://registry:2", SECRET: "x" },
      ...{ NODE_EXTRA_CA_CERTS: ca, REQUESTS_CA_BUNDLE: ground.place("home/certs/gone.pem") },
    };
    const { tail, error } = await within(env, () =>
      ground.check('cat node_modules/seen; echo "check: $HTTPS_PROXY"', {
        setup: [["sh", "-c", `mkdir node_modules && echo "${shown}" > node_modules/seen`]],
      }),
    );
    expect({ tail, error }).toEqual({
      tail: "http://proxy:1|http://registry:2|trusted||\ncheck: \n",
      error: "",
    });
  });

  it("and fails reports the variables that it got, and how to pass more", async () => {
    using ground = provingGround();
    const failing = (line: string) =>
      within({ HTTPS_PROXY: "http://proxy:1" }, () =>
        ground.check("true", { setup: [["sh", "-c", `echo '${line}'; exit 1`]] }),
      );
    const { error } = await failing("npm error code SELF_SIGNED_CERT_IN_CHAIN");
    expect(error).toContain("such as HTTPS_PROXY and NODE_EXTRA_CA_CERTS (set: HTTPS_PROXY)");
    expect(error).toContain("`workspace: { env_pass: [PATH, HOME, LANG, NAME] }` passes others");
    expect((await failing("npm error code ERESOLVE")).error).not.toContain("env_pass");
  });
});

describe("a slow command", () => {
  it.each([
    ["a setup", "still setting up: sh -c "],
    ["a check", "still running: "],
  ])("is reported while it runs: %s", async (kind, message) => {
    using ground = provingGround();
    const line = "echo begun; until test -e $HOME/counts/go; do sleep 0.1; done";
    const lines: string[] = [];
    const onProgress = (text: string) => {
      lines.push(text);
      if (text.startsWith("still ")) ground.write("home/counts/go", "");
    };
    const setup = kind === "a setup" ? [["sh", "-c", line]] : [];
    const { error } = await ground.check(kind === "a setup" ? "true" : line, {
      setup,
      slowMs: 1,
      onProgress,
    });
    expect(error).toBe("");
    expect(lines.find((text) => text.startsWith(message))).toMatch(/, for \d+ s; /);
  });

  it("is reported with its last output line, without secrets", async () => {
    const token = ["ghp", "0123456789abcdefghijABCDEFGHIJ012345"].join("_");
    const { promise, resolve } = Promise.withResolvers<string>();
    using teller = new SlowTeller({ what: "setting up: npm ci", firstMs: 1, tell: resolve });
    teller.heard(Buffer.from("one\r\nfetch"));
    teller.heard(Buffer.from(`ing with ${token}\n\n`));
    const message = await promise;
    expect(message).toMatch(/^still setting up: npm ci, for \d+ s; last line: fetching with /);
    expect(message).not.toContain(token);
  });

  it("is reported if its output has stopped, with a hint", async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const hint = "name another command";
    const tell = (line: string) => line.includes("nothing new") && resolve(line);
    using teller = new SlowTeller({ what: "setting up: npm ci", firstMs: 1, nextMs: 20, hint, tell });
    teller.heard(Buffer.from("a long line\n"));
    expect(await promise).toMatch(
      /^still setting up: npm ci, for \d+ s; nothing new for \d+ s: name another command$/,
    );
  });
});
