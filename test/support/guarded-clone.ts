import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ClientName } from "../../src/contract/client-names.ts";
import { shellWord } from "../../src/core/text/quoted.ts";
import { hookText } from "../../src/guard/transport/hook-file.ts";
import { type HookPlace, hookLine } from "../../src/guard/transport/hook-line.ts";
import { hookFile } from "../../src/guard/transport/launch-file.ts";
import { readMachine } from "../../src/guard/transport/ways-to-ask.ts";
import { readHostRecord } from "../../src/server/host-record.ts";
import { isAlive } from "../../src/workspace/process/process-identity.ts";
import { showOrchestrator } from "../../src/workspace/state/active-file.ts";
import {
  type CommandRun,
  eventually,
  type Repository,
  type Running,
  startProgram,
  temporaryRepository,
} from "./run-command.ts";
import { skipLoudly } from "./skip-loudly.ts";

const file = (name: string) => new URL(name, import.meta.url).pathname;
const server = file("./guard-server.ts");
const client = file("../../dist/guard-client.cjs");

const { netcat } = readMachine();
skipLoudly("THE TESTS OF HOOKS THROUGH nc", netcat ? undefined : "no `nc` with -U and -N is on PATH");

export const rungs = netcat ? (["nc", "node"] as const) : (["node"] as const);

interface HookCall {
  readonly client?: ClientName;
  readonly rung: "nc" | "node";
  readonly payload?: unknown;
  readonly env?: Readonly<Record<string, string>>;
  readonly place?: HookPlace;
  /** In place of the hook file of this version. */
  readonly line?: string;
  readonly cwd?: string;
  readonly shell?: string;
}

/** A repository whose hooks start the stand-in server. */
export interface GuardedClone extends Repository {
  readonly folder: string;
  /** As if Lockstep was installed here, with something active or not. */
  install(options?: { readonly active?: boolean; readonly node?: string }): void;
  setActive(): void;
  serve(env?: Readonly<Record<string, string>>): Running;
  /** Starts it and waits until it listens. */
  served(
    env?: Readonly<Record<string, string>>,
  ): Promise<Running & { readonly socket: string; readonly port: number }>;
  hook(call: HookCall): Promise<CommandRun>;
  /** The server that runs now, however it was started. */
  serverPid(): number | undefined;
}

export function guardedClone(): GuardedClone {
  const repository = temporaryRepository();
  const folder = join(repository.path, ".git", "lockstep");
  const serverPid = () => {
    const record = existsSync(folder) ? readHostRecord(folder, "serve") : undefined;
    return record !== undefined && isAlive(record) ? record.pid : undefined;
  };
  const setActive = () => showOrchestrator(folder, Date.now());
  /** As on a machine with a suitable `nc`, or without one. Hooks may be reading the file at the same time. */
  const chooseRung = (rung: "nc" | "node") => {
    const file = hookFile(folder);
    const other = hookText({ netcat: rung !== "nc" });
    if (existsSync(file) && readFileSync(file, "utf8") === other)
      writeFileSync(file, hookText({ netcat: rung === "nc" }));
  };
  const serve: GuardedClone["serve"] = (env = {}) =>
    startProgram([process.execPath, server], { cwd: repository.path, env });
  return {
    ...repository,
    folder,
    setActive,
    serve,
    serverPid,
    install: ({ active = false, node = process.execPath } = {}) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const words = [node, client, folder, repository.path, server].map(shellWord);
      writeFileSync(join(folder, "launch"), `${words.join(" ")} "$@"\n`);
      writeFileSync(hookFile(folder), hookText({ netcat }), { mode: 0o600 });
      if (active) setActive();
    },
    served: async (env) => {
      const running = serve(env);
      const line = await eventually("the server listens", () => {
        if (running.process.exitCode !== null) throw new Error(running.errors());
        return running.lines()[0];
      });
      return Object.assign(running, JSON.parse(line));
    },
    hook: ({
      client: name = "claude",
      rung,
      payload = write(),
      env = {},
      place,
      cwd,
      shell = "sh",
      line,
    }) => {
      chooseRung(rung);
      return startProgram([...shell.split(" "), "-c", line ?? hookLine(name, place)], {
        cwd: cwd ?? repository.path,
        input: typeof payload === "string" ? payload : JSON.stringify(payload),
        env,
      }).ended;
    },
    [Symbol.dispose]: () => {
      const pid = serverPid();
      if (pid !== undefined) process.kill(pid, "SIGKILL");
      repository[Symbol.dispose]();
    },
  };
}

export function write(path = "/repo/a.ts", more: object = {}) {
  return {
    session_id: "s-1",
    cwd: "/repo",
    hook_event_name: "PreToolUse",
    tool_name: "Write",
    tool_input: { file_path: path, content: "x\n" },
    ...more,
  };
}

export function read(path = "/repo/a.ts") {
  return write(path, { tool_name: "Read", tool_input: { file_path: path } });
}
