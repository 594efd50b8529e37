import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { copyDependencies } from "../../src/workspace/checkouts/copy-dependencies.ts";
import { snapshotTree } from "../../src/workspace/checkouts/snapshot-tree.ts";
import { agentIn, agentRepository } from "../support/agent-checkout.ts";

const project = {
  ".gitignore": "node_modules\ntarget\n.venv\nvendor/bundle\n",
  "package.json": '{"name":"root","private":true,"workspaces":["packages/*"]}\n',
  "packages/lib/package.json": '{"name":"lib","version":"1.0.0"}\n',
  "packages/lib/index.js": 'module.exports = "of the main checkout";\n',
  "packages/app/package.json": '{"name":"app","version":"1.0.0","dependencies":{"lib":"1.0.0"}}\n',
  "packages/app/test.js": 'console.log(require("lib"));\n',
};

async function withCheckout() {
  const repository = agentRepository(project);
  const { checkout } = await repository.open();
  return { ...repository, folder: checkout.folder, agent: agentIn(checkout) };
}

describe("copied dependencies", () => {
  it("of an npm workspace link to the packages of the checkout they were copied into", async () => {
    using work = await withCheckout();
    execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund"], {
      cwd: work.path,
      stdio: "ignore",
    });
    expect(readlinkSync(join(work.path, "node_modules/lib"))).toBe("../packages/lib");
    expect(await copyDependencies(work.path, work.folder)).toEqual(["node_modules"]);
    work.agent.write("packages/lib/index.js", 'module.exports = "of the agent";\n');
    expect(work.agent.run("node", "packages/app/test.js")).toBe("of the agent");
    expect(work.agent.git("status", "--porcelain")).toBe("M packages/lib/index.js");
  });

  it("do not count as work, even if git does not ignore them", async () => {
    using repository = agentRepository({ "package.json": "{}\n", "a.txt": "a\n" });
    const { checkout } = await repository.open();
    const agent = agentIn(checkout);
    mkdirSync(join(repository.path, "node_modules/p"), { recursive: true });
    writeFileSync(join(repository.path, "node_modules/p/index.js"), "1\n");
    await copyDependencies(repository.path, checkout.folder);
    agent.write("a.txt", "agent\n");
    agent.write("node_modules/p/more.js", "2\n");
    const changed = async () => (await snapshotTree(checkout, { parent: checkout.base })).changed;
    expect((await changed()).map(({ path }) => path)).toEqual(["a.txt"]);
    agent.git("add", "-A");
    agent.git("-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "-qm", "all");
    expect(agent.git("show", "--name-only", "--format=")).toBe("a.txt");
    expect((await changed()).map(({ path }) => path)).toEqual(["a.txt"]);
  });

  it("keep relative links, and have absolute links into the old checkout changed to the new one", async () => {
    using work = await withCheckout();
    mkdirSync(join(work.path, "node_modules/.bin"), { recursive: true });
    mkdirSync(join(work.path, "packages/app/node_modules/deep"), { recursive: true });
    const links = {
      "node_modules/lib": "../packages/lib",
      "node_modules/.bin/lib": "../lib/index.js",
      "node_modules/absolute": join(work.path, "packages/lib"),
      "node_modules/elsewhere": "/usr/share",
      "node_modules/neighbour": `${work.path}-other/lib`,
      "packages/app/node_modules/lib": join(work.path, "packages/lib"),
    };
    for (const [path, target] of Object.entries(links)) symlinkSync(target, join(work.path, path));
    expect((await copyDependencies(work.path, work.folder)).toSorted()).toEqual([
      "node_modules",
      "packages/app/node_modules",
    ]);
    const copied = Object.keys(links).map((path) => readlinkSync(join(work.folder, path)));
    expect(copied).toEqual([
      "../packages/lib",
      "../lib/index.js",
      join(work.folder, "packages/lib"),
      "/usr/share",
      `${work.path}-other/lib`,
      join(work.folder, "packages/lib"),
    ]);
    work.agent.write("packages/lib/index.js", 'module.exports = "of the agent";\n');
    expect(work.agent.run("node", "packages/app/test.js")).toBe("of the agent");
  });

  it("are separate files with the modification times of the originals", async () => {
    using work = await withCheckout();
    const names = ["target/a", ".venv/b", "vendor/bundle/c", "node_modules/d"];
    for (const name of names) utimesSync(work.write(name, "x"), 1_000_000, 1_000_000);
    work.agent.write("vendor/own", "x");
    expect((await copyDependencies(work.path, work.folder)).toSorted()).toEqual(
      [".venv", "node_modules", "target", "vendor/bundle"].toSorted(),
    );
    for (const name of names) {
      const copied = statSync(join(work.folder, name));
      expect([copied.nlink, copied.mtimeMs, lstatSync(join(work.folder, name)).isFile()]).toEqual([
        1,
        1_000_000_000,
        true,
      ]);
    }
    expect(readdirSync(dirname(work.folder)).filter((name) => name.startsWith("copying"))).toEqual([]);
  });

  it("do not replace existing files, and skip folders that the checkout does not have", async () => {
    using work = await withCheckout();
    work.write("node_modules/x", "new");
    work.write("gone/node_modules/x", "new");
    work.write("src/target/x", "no output of a build");
    work.agent.write("node_modules/x", "old");
    expect(await copyDependencies(work.path, work.folder)).toEqual([]);
    expect(existsSync(join(work.folder, "src"))).toBe(false);
  });
});
