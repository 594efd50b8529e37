import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, request as httpRequest } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { operate } from "../src/engine/operate.ts";
import { listeningAt } from "../src/guard/transport/ask-server.ts";
import { rawRequest, readRawAnswer } from "../src/guard/transport/raw-form.ts";
import { serverFlags } from "../src/guard/transport/start-server.ts";
import type { Ledger } from "../src/ledger/ledger.ts";
import { openPostgresLedger } from "../src/ledger/postgres/open-ledger.ts";
import { readHttpAccess } from "../src/workspace/state/http-access.ts";
import { stateFolder } from "../src/workspace/state/state-folder.ts";
import type { BuiltCommand } from "./built-command.ts";
import { childEnvironment } from "./child-environment.ts";
import { detailsOf, fillLedger, person, type Recorded, recordChanges } from "./fill-ledger.ts";
import { engineOf, ledgerProject } from "./ledger-project.ts";
import { locksPerTask, packetOf, taskOf } from "./ledger-tasks.ts";

/** The warm process of a project with this number of locks, called by the agent of one task. */
export interface GuardServer extends AsyncDisposable {
  readonly root: string;
  readonly stateFolder: string;
  readonly payload: string;
  /** The variables that identify the caller in a hook's environment. */
  readonly caller: Readonly<Record<string, string>>;
  overHttp(): Promise<void>;
  /** An orchestrator spawns an agent, which is stored in its state. */
  orchestrated(): Promise<void>;
  /** The agent has written a file, which is logged. */
  written(): Promise<void>;
  onSocket(): Promise<void>;
  memoryBytes(): number;
}

/** With a URL, the ledger is on that server. */
export async function guardServer(built: BuiltCommand, locks: number, url?: string): Promise<GuardServer> {
  const home = ledgerProject();
  const ledger = url === undefined ? await home.open() : await openPostgresLedger({ url });
  const tasks = Math.ceil(locks / locksPerTask);
  const recorded = await recordChanges();
  await fillLedger(ledger, withLeasesOf(ledger, recorded), { finished: 0, waiting: 0, running: tasks });
  const own = taskOf(tasks);
  const dispatched = await operate(
    engineOf(home.project, ledger),
    "dispatch",
    { packet: packetOf(own) },
    person,
  );
  const { epoch, token } = detailsOf(dispatched);
  ledger.close();
  const { root } = home.project.place;
  const folder = stateFolder(home.project);
  const server = spawn(process.execPath, [...serverFlags, built.path, "serve"], {
    cwd: root,
    env: { ...childEnvironment(), ...(url === undefined ? {} : { LOCKSTEP_LEDGER_URL: url }) },
    stdio: ["ignore", "ignore", "inherit"],
  });
  while (listeningAt(folder) === undefined) {
    if (server.exitCode !== null) throw new Error("the server ended before it listened");
    await sleep(20);
  }
  const path = `${root}/${own.folder}/price.ts`;
  const caller = { LOCKSTEP_TASK: own.key, LOCKSTEP_EPOCH: String(epoch), LOCKSTEP_TOKEN: String(token) };
  const write = writeOf(root, path);
  const payload = JSON.stringify(write);
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  return {
    root,
    stateFolder: folder,
    payload,
    caller,
    overHttp: () => post({ folder, agent, payload, caller }),
    orchestrated: () =>
      post({
        ...{ folder, agent, caller: { CLAUDE_AGENT_ROLE: "orchestrator" } },
        payload: JSON.stringify({ ...write, tool_name: "Task", tool_input: { prompt: "do it" } }),
      }),
    written: () =>
      post({
        ...{ folder, agent, caller },
        payload: JSON.stringify({ ...write, hook_event_name: "PostToolUse", tool_response: {} }),
      }),
    onSocket: () =>
      exchange(listeningAt(folder) ?? "", { client: "claude", env: caller, payload: Buffer.from(payload) }),
    memoryBytes: () => residentBytes(server.pid ?? 0),
    [Symbol.asyncDispose]: async () => {
      agent.destroy();
      const ended = once(server, "exit");
      server.kill("SIGTERM");
      await ended;
      home[Symbol.dispose]();
    },
  };
}

/** The recorded lease uses the clock of this ledger. */
function withLeasesOf({ clock }: Ledger, recorded: Recorded): Recorded {
  if (clock === undefined) return recorded;
  const { boot, monoMs } = clock.now();
  const lease = `"lease":{"boot":"${boot}","beatMs":${monoMs}`;
  return { ...recorded, started: recorded.started.replace(/"lease":\{"boot":"[^"]*","beatMs":\d+/, lease) };
}

/** The payload of the client, with all its fields. */
function writeOf(root: string, path: string) {
  return {
    session_id: "10cb566d-3512-4f84-9760-d564ce9d5f9e",
    transcript_path: "/home/user/.claude/projects/-repo/10cb566d-3512-4f84-9760-d564ce9d5f9e.jsonl",
    cwd: root,
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    tool_name: "Write",
    tool_input: { file_path: path, content: "export const cents = 100;\n".repeat(40) },
    tool_use_id: "toolu_1",
  };
}

interface Post {
  readonly folder: string;
  readonly agent: Agent;
  readonly payload: string;
  readonly caller: Readonly<Record<string, string>>;
}

function post({ folder, agent, payload, caller }: Post): Promise<void> {
  const access = readHttpAccess(folder);
  if (access === undefined) throw new Error("the server has no port");
  const headers = {
    authorization: `Bearer ${access.token}`,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(payload),
    "x-lockstep-task": caller.LOCKSTEP_TASK ?? "",
    "x-lockstep-epoch": caller.LOCKSTEP_EPOCH ?? "",
    "x-lockstep-token": caller.LOCKSTEP_TOKEN ?? "",
    "x-lockstep-role": caller.CLAUDE_AGENT_ROLE ?? "",
  };
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { host: "127.0.0.1", port: access.port, method: "POST", path: "/guard/claude", agent, headers },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (piece: string) => {
          text += piece;
        });
        response.on("end", () => {
          if (response.statusCode === 200 && !text.includes('"deny"')) resolve();
          else reject(new Error(`an ordinary write was refused: ${response.statusCode} ${text}`));
        });
      },
    );
    sent.on("error", reject).end(payload);
  });
}

function exchange(path: string, request: Parameters<typeof rawRequest>[0]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    let text = "";
    socket.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
    socket.on("end", () => {
      if (readRawAnswer(text)?.exit === 0) resolve();
      else reject(new Error(`an ordinary write was refused: ${text}`));
    });
    socket.on("error", reject).end(rawRequest(request));
  });
}

function residentBytes(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kib) * 1024;
}
