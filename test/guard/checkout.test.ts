import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openHost } from "../../src/server/host.ts";
import type { Checkout } from "../../src/workspace/checkouts/checkout.ts";
import { openCheckout } from "../../src/workspace/checkouts/open-checkout.ts";
import { findProject } from "../../src/workspace/files/find-project.ts";
import { openStateFolder } from "../../src/workspace/state/state-folder.ts";
import {
  agentEnvironment,
  type GuardedRepository,
  guardedRepository,
} from "../support/guarded-repository.ts";

let repository: GuardedRepository;
let checkout: Checkout;
let env: Record<string, string>;
const stateHome = process.env.XDG_STATE_HOME;

beforeEach(async () => {
  repository = guardedRepository();
  const commonFolder = join(repository.path, ".git");
  process.env.XDG_STATE_HOME = `${repository.path}-state`;
  const own = await repository.dispatch("T-A", ["src/a/**"]);
  await repository.dispatch("T-B", ["src/b/**"]);
  const base = repository.git("rev-parse", "HEAD");
  const name = { session: null, task: "T-A", attempt: 1 };
  ({ checkout } = await openCheckout({
    ...name,
    commonFolder,
    root: repository.path,
    base,
    include: [],
    isContained: false,
  }));
  env = {
    ...agentEnvironment(own),
    LOCKSTEP_ROOT: repository.path,
    LOCKSTEP_CHECKOUT: checkout.folder,
    TMPDIR: checkout.temporary,
  };
});
afterEach(() => {
  if (stateHome === undefined) delete process.env.XDG_STATE_HOME;
  else process.env.XDG_STATE_HOME = stateHome;
  rmSync(`${repository.path}-state`, { recursive: true, force: true });
  repository[Symbol.dispose]();
});

const call = (tool: string, input: object, id = "t1") => ({
  ...{ session_id: "s1", cwd: checkout.folder, hook_event_name: "PreToolUse", tool_use_id: id },
  ...{ tool_name: tool, tool_input: input },
});
const write = (path: string) => call("Write", { file_path: path, content: "x" });
const bash = (command: string, id?: string) => call("Bash", { command }, id);
const post = (one: object) => ({ ...one, hook_event_name: "PostToolUse", tool_response: {} });
const said = async (payload: object, more: Record<string, string> = {}) => {
  const options = { env: { ...env, ...more }, folder: checkout.folder };
  const { exit, stderr } = await repository.guard(payload, options);
  return exit === 0 ? `allowed ${stderr}`.trim() : stderr;
};
const at = (path: string) => join(checkout.folder, path);

describe("an agent in its own checkout", () => {
  it("writes its scope there, and nothing in the main checkout or another one", async () => {
    expect(await said(write(at("src/a/x.ts")))).toBe("allowed");
    expect(await said(write("src/a/x.ts"))).toBe("allowed");
    expect(await said(write(at("src/b/x.ts")))).toMatch(/^R-PW-001/);
    expect(await said(write(at(".git/config")))).toMatch(/^R-PW-002/);
    expect(await said(write(join(repository.path, "src/a/x.ts")))).toMatch(/^R-PW-001/);
    expect(await said(bash(`echo x > ${join(repository.path, "src/a/x.ts")}`))).toMatch(/^R-PW-001/);
    expect(await said(write(join(checkout.folder, "../../T-B-0/tree/src/a/x.ts")))).toMatch(/^R-PW-001/);
    expect(await said(bash("touch ../checkout.json"))).toMatch(/^R-PW-001/);
  });

  it("may use its temporary folder, although that is beside the checkout", async () => {
    expect(await said(write(join(checkout.temporary, "notes")))).toBe("allowed");
    expect(await said(bash('echo x > "$TMPDIR/notes"'))).toBe("allowed");
  });

  it("finds its changes outside the lock restored, and saved on a ref", async () => {
    const gen = bash("./gen.sh");
    expect(await said(gen)).toBe("allowed");
    writeFileSync(at("src/a/made.ts"), "mine");
    writeFileSync(at("src/b/x.ts"), "strayed");
    writeFileSync(at("src/b/new.ts"), "new and strayed");
    const message = await said(post(gen));
    const [, ref = ""] = /kept on `(refs\/lockstep\/\S+)`/.exec(message) ?? [];
    expect(message).toMatch(/^R-PW-001: this call changed files outside the lock scope/);
    expect(readFileSync(at("src/a/made.ts"), "utf8")).toBe("mine");
    expect(readFileSync(at("src/b/x.ts"), "utf8")).toBe("x\n");
    expect(existsSync(at("src/b/new.ts"))).toBe(false);
    expect(repository.git("show", `${ref}:src/b/x.ts`)).toBe("strayed");
    expect(repository.git("show", `${ref}:src/b/new.ts`)).toBe("new and strayed");
    const strayed = await repository.withEngine(({ ledger }) => ledger.events({ type: "guard.strayed" }));
    expect(strayed.map(({ data }) => (data as { target: string }).target)).toEqual([
      "src/b/new.ts",
      "src/b/x.ts",
    ]);
  });
});

describe("through the host's socket, without the ledger", () => {
  it("an agent is judged, its violations are recorded, and a stale one may only read", async () => {
    await repository.withEngine(async (engine) => {
      await using host = await openHost(engine, openStateFolder(findProject(repository.path)));
      const through = { LOCKSTEP_SOCKET: host.socket };
      expect(await said(write(at("src/a/x.ts")), through)).toBe("allowed");
      for (const times of [1, 2, 3]) {
        const message = await said(write(at("src/b/x.ts")), through);
        expect(message).toMatch(/^R-PW-001/);
        expect(message.includes("refused 3 times")).toBe(times === 3);
      }
      expect(await said(bash("node -e \"require('fs').rmSync('src/b/x.ts')\""), through)).toMatch(
        /^R-PW-002/,
      );
      const stale = { ...through, LOCKSTEP_TOKEN: "x" };
      expect(await said(write(at("src/a/x.ts")), stale)).toMatch(/^R-LS-001/);
      expect(await said(bash("cat src/a/x.ts"), stale)).toBe("allowed");
      const kept = await engine.ledger.events({ task: "T-A", type: "guard.refused" });
      expect(kept.map(({ data }) => (data as { target: string }).target)).toEqual(
        Array(4).fill("src/b/x.ts"),
      );
    });
  });

  it("without a host writes are refused, and reads are allowed", async () => {
    const noHost = { LOCKSTEP_SOCKET: join(checkout.temporary, "socket") };
    expect(await said(write(at("src/a/x.ts")), noHost)).toMatch(
      /guard could not be asked.*nothing is listening there/s,
    );
    expect(await said(call("Read", { file_path: at("src/a/x.ts") }), noHost)).toBe("allowed");
  });
});
