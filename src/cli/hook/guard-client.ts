import type { NativeAnswer } from "../../contract/tool-call.ts";
import { type Asked, askServer, listeningAt } from "../../guard/ladder/ask-server.ts";
import { isAttempt, roleIn, seemsActive } from "../../guard/ladder/seems-active.ts";
import { serverLog, startServer } from "../../guard/ladder/start-server.ts";
import { guardPayloadBytesMax } from "../../guard/world/guard-endpoint.ts";
import { isShownActive } from "../../workspace/state/active-file.ts";
import { readAll, writeOrThrow } from "../output/descriptor.ts";

/**
 * The hook client that needs nothing but Node: `STATE_FOLDER ROOT PROGRAM CLIENT [HOW]`. `HOW` is `start` where the
 * server is wanted though nothing is active, and `broken` where a shell has asked already and got no good answer.
 */
const [folder = "", root = "", program = "", client = "", how = ""] = process.argv.slice(2);
const msMax = 2000;
const pauseMs = 25;
const { env } = process;

// Neither of the two that mean something: the shell that started this turns it into the client's deny.
process.exitCode = 1;
void main();

async function main(): Promise<void> {
  const payload = readAll(0, guardPayloadBytesMax);
  const asked: Asked =
    how === "broken" ? { failed: "broken", why: "it gave no whole answer" } : await ask(payload);
  if ("answer" in asked) return print(how === "start" ? await proven(asked.answer) : asked.answer);
  const isActive = seemsActive(folder, env);
  if (!isActive && asked.failed === "absent") return print({ stdout: "", stderr: "", exit: 0 });
  const { offlineAnswer } = await import("../../guard/ladder/offline-answer.ts");
  const project = { root, stateFolder: folder };
  const { why } = asked;
  print(await offlineAnswer({ client, payload, isActive, project, why, folder: env.PWD ?? process.cwd() }));
}

/** At the beginning of a session, for clients that will call over HTTP. */
async function proven(answer: NativeAnswer): Promise<NativeAnswer> {
  const { whyUnproven } = await import("../../guard/ladder/check-proof.ts");
  const why = await whyUnproven(folder);
  if (why === undefined) return answer;
  return {
    ...answer,
    stderr: `lockstep: ${why}; see what has that port`,
    exit: isShownActive(folder) ? 2 : 0,
  };
}

/** Starts the server where it is needed and not there, and asks until the time is over. */
async function ask(payload: Uint8Array): Promise<Asked> {
  const deadline = nowMs() + msMax;
  const request = { client, env: env as Record<string, string>, payload };
  let started = false;
  for (;;) {
    const path = env.LOCKSTEP_SOCKET || listeningAt(folder);
    const left = Math.max(1, deadline - nowMs());
    const asked: Asked =
      path === undefined
        ? { failed: "absent", why: whyAbsent(started) }
        : await askServer(path, request, left);
    if ("answer" in asked || asked.failed === "broken") return asked;
    if (env.LOCKSTEP_SOCKET || !isWanted() || left <= pauseMs) return asked;
    const isNeeded = () => path !== undefined || listeningAt(folder) === undefined;
    if (!started) startServer({ folder, root, program, isNeeded });
    started = true;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Of this process; `performance` would load nine more modules. */
function nowMs(): number {
  return process.uptime() * 1000;
}

function isWanted(): boolean {
  return how === "start" || isShownActive(folder) || isAttempt(env) || roleIn(env) !== "";
}

function whyAbsent(started: boolean): string {
  return started ? `its server did not start, see ${serverLog(folder)}` : "its server is not running";
}

/** At once: to let Node end by itself takes a tenth of the whole call. */
function print({ stdout, stderr, exit }: NativeAnswer): never {
  if (stderr !== "") writeOrThrow(2, `${stderr}\n`);
  if (stdout !== "") writeOrThrow(1, `${stdout}\n`);
  process.exit(exit);
}
