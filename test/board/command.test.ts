import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { askBoard } from "../../src/cli/open/socket-client.ts";
import { readHostRecord } from "../../src/server/host-record.ts";
import { serve } from "../../src/server/serve.ts";
import { isAlive } from "../../src/workspace/process/process-identity.ts";
import { hasBrowser, openBrowser, openPage } from "../support/board-browser.ts";
import type { LandRepository } from "../support/land-repository.ts";
import { memoryEngine } from "../support/memory-engine.ts";
import { awaits, planned, task, writes } from "../support/planned-repository.ts";
import { eventually, temporaryRepository } from "../support/run-command.ts";
import { command } from "../support/run-hook.ts";
import { missing } from "../support/sandboxed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Runs a program in a terminal, with `script` of util-linux. */
const hasTerminal = existsSync("/usr/bin/script");
const onTerminal = { through: ["sh", "-c", 'exec script -qec "$*" /dev/null', "sh"] };

interface Opened {
  readonly address: string;
  readonly link: string;
  readonly may: string;
}

/** The command; its server ends with the block. */
function boardOf(repository: Pick<LandRepository, "path" | "run">) {
  const folder = join(repository.path, ".git", "lockstep");
  const server = () => readHostRecord(folder, "serve");
  return {
    server,
    open: async (options = {}): Promise<Opened> => {
      const { stdout, stderr, status } = await repository.run(["board", "--no-open", "--json"], options);
      expect(status, stdout + stderr).toBe(0);
      return JSON.parse(stdout.slice(stdout.indexOf("{"))) as Opened;
    },
    kill: async () => {
      const found = server();
      if (found === undefined || !isAlive(found)) return;
      process.kill(found.pid, "SIGKILL");
      await eventually("the end of the server", () => (isAlive(found) ? undefined : true));
    },
  };
}

describe.skipIf(!hasBrowser || !hasTerminal)("lockstep board", { timeout: 120_000 }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  it("follows a real run, and reconnects after its server was killed", async () => {
    using repository = planned({ agents: { slow: [[awaits, writes("T-1")]] }, tasks: [task("T-1", "slow")] });
    const board = boardOf(repository);
    try {
      const { link, address, may } = await board.open(onTerminal);
      expect(may).toBe("act");
      await using open = await openPage(browser, `${address}/tasks${link.slice(link.indexOf("#"))}`);
      const { page } = open;
      await page.getByText("No tasks yet").waitFor();
      using run = repository.start(["run"]);
      const row = page.locator(".row", { hasText: "do T-1" });
      await row.getByText("in progress").waitFor();
      await page.getByText("a run is active").waitFor();
      await board.kill();
      await page.getByText("The connection to the server is lost").waitFor();
      writeFileSync(repository.write("state/go", ""), "");
      expect((await run.ended).status).toBe(0);
      expect(run.errors()).toContain(`board: \`lockstep board\` opens ${address}`);
      // The same port, and a page that authenticates without a new link.
      expect((await board.open()).address).toBe(address);
      await row.getByText("merged", { exact: true }).waitFor();
      await page.getByText("The connection to the server is lost").waitFor({ state: "detached" });
    } finally {
      await board.kill();
    }
  });

  it("without a terminal opens a read-only page", async () => {
    using repository = temporaryRepository({ "a.txt": "a\n" });
    const board = boardOf(repository as LandRepository);
    try {
      expect((await board.open()).may).toBe("look");
      const taken = await repository.run(["board", "--no-open", "--port", "1"]);
      expect(taken).toMatchObject({ status: 2, stderr: expect.stringContaining("R-ST-001") });
      expect((await repository.run(["board", "--port", "x"])).stderr).toContain("R-IN-001");
    } finally {
      await board.kill();
    }
  });
});

describe("an agent", () => {
  it("cannot open a board: the command is refused in a client's shell and for a task, and creates no link", async () => {
    using repository = temporaryRepository({ "a.txt": "a\n" });
    for (const env of [
      { CLAUDECODE: "1" },
      { LOCKSTEP_TASK: "T-1", LOCKSTEP_TOKEN: "x" },
      { LOCKSTEP_SOCKET: "/tmp/none" },
      { LOCKSTEP_INSIDE: "1" },
    ]) {
      const { status, stderr } = await repository.run(["board", "--no-open"], { env: env as never });
      expect({ status, stderr }, JSON.stringify(env)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining("R-AU-001"),
      });
    }
    expect(readdirSync(join(repository.path, ".git"))).not.toContain("lockstep");
  });

  it.skipIf(missing !== undefined || !hasTerminal)(
    "of a run can neither open it nor read its files from its sandbox",
    { timeout: 60_000 },
    async () => {
      const look = `{ ${process.execPath} ${command} board --no-open; echo "exit $?"; ls "$LOCKSTEP_ROOT/.git/lockstep/board"; env -i PATH="$PATH" HOME="$HOME" ${process.execPath} ${command} board --no-open; echo "exit $?"; } > T-1.txt 2>&1`;
      using repository = planned({
        agents: { spy: [[`run: { command: ${JSON.stringify(look)} }`]] },
        tasks: [task("T-1", "spy")],
      });
      const board = boardOf(repository);
      try {
        await board.open(onTerminal);
        expect((await repository.run(["run"])).status).toBe(0);
        const seen = readFileSync(join(repository.path, "T-1.txt"), "utf8");
        expect(seen.match(/exit 2/g)).toHaveLength(2);
        expect(seen).toContain("R-AU-001");
        expect(seen).toMatch(/cannot access|No such file/);
        expect(seen).not.toContain("#");
      } finally {
        await board.kill();
      }
    },
  );
});

it("the warm process stays while pages are open, and ends when they are closed and it is idle", async () => {
  using folder = temporaryFolder();
  const board = { isBusy: true, looked: 0 };
  const asked = {
    get isBusy() {
      board.looked += 1;
      return board.isBusy;
    },
    open: async () => ({ port: 1 }),
  };
  const listening = Promise.withResolvers<string>();
  const ended = serve({
    ...{ engine: await memoryEngine(), folder: folder.path, idleMs: 0, port: await freePort(), board: asked },
    guard: async () => ({ exit: 0, stdout: "", stderr: "" }),
    stop: new AbortController().signal,
    onListening: ({ socket }) => listening.resolve(socket),
    onLag: () => {},
  });
  const socket = await listening.promise;
  await eventually("a look at the pages", () => (board.looked >= 2 ? true : undefined));
  // It still answers after two idle ticks.
  expect(await askBoard(socket, undefined)).toEqual({ port: 1 });
  board.isBusy = false;
  await ended;
  expect(await askBoard(socket, undefined)).toMatchObject({ allow: false, code: "E-STORE" });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
