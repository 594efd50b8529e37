import type { NativeAnswer } from "../../contract/tool-call.ts";
import { type Asked, askServer, listeningAt } from "../../guard/transport/ask-server.ts";
import { isAttempt, roleIn, seemsActive } from "../../guard/transport/seems-active.ts";
import { serverLog, startServer } from "../../guard/transport/start-server.ts";
import { guardPayloadBytesMax } from "../../guard/world/guard-endpoint.ts";
import { isShownActive } from "../../workspace/state/active-file.ts";
import { readAll, writeOrThrow } from "../output/descriptor.ts";

/**
 * The hook client that needs only Node: `STATE_FOLDER ROOT PROGRAM CLIENT [HOW]`. `HOW` is `start` to start the server
 * even if nothing is active, and `broken` if a shell has already asked the server and got no complete answer.
 */
const [folder = "", root = "", program = "", client = "", how = ""] = process.argv.slice(2);
const msMax = 2000;
const pauseMs = 25;
const { env } = process;

// Neither 0 nor 2: the shell that started this turns any other code into the client's deny.
process.exitCode = 1;
void main();

async function main(): Promise<void> {
  const payload = readAll(0, guardPayloadBytesMax);
  const asked: Asked =
    how === "broken" ? { failed: "broken", why: "its answer was incomplete" } : await ask(payload);
  if ("answer" in asked) return print(how === "start" ? await proven(asked.answer) : asked.answer);
  const isActive = seemsActive(folder, env);
  if (!isActive && asked.failed === "absent") return print({ stdout: "", stderr: "", exit: 0 });
  const { offlineAnswer } = await import("../../guard/transport/offline-answer.ts");
  const project = { root, stateFolder: folder };
  const { why } = asked;
  print(await offlineAnswer({ client, payload, isActive, project, why, folder: env.PWD ?? process.cwd() }));
}

/** Checks the server at the beginning of a session, for clients that call it over HTTP. */
async function proven(answer: NativeAnswer): Promise<NativeAnswer> {
  const { whyUnproven } = await import("../../guard/transport/check-proof.ts");
  const why = await whyUnproven(folder);
  if (why === undefined) return answer;
  return {
    ...answer,
    stderr: `lockstep: ${why}; find out which program uses that port`,
    exit: isShownActive(folder) ? 2 : 0,
  };
}

/** Asks the server until the timeout, and starts it if it is needed and not running. */
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

/** Time since the start of this process. `performance` would load nine more modules. */
function nowMs(): number {
  return process.uptime() * 1000;
}

function isWanted(): boolean {
  return how === "start" || isShownActive(folder) || isAttempt(env) || roleIn(env) !== "";
}

function whyAbsent(started: boolean): string {
  return started ? `its server did not start, see ${serverLog(folder)}` : "its server is not running";
}

/** Exits at once: a normal end of Node takes a tenth of the whole call. */
function print({ stdout, stderr, exit }: NativeAnswer): never {
  if (stderr !== "") writeOrThrow(2, `${stderr}\n`);
  if (stdout !== "") writeOrThrow(1, `${stdout}\n`);
  process.exit(exit);
}
