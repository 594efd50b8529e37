/** `lockstep serve` with a guard of one rule: a payload that contains `forbidden` is refused. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { openEngine } from "../../src/cli/open/open-engine.ts";
import type { GuardEndpoint } from "../../src/guard/world/guard-endpoint.ts";
import { HostRunning } from "../../src/server/host.ts";
import { serve } from "../../src/server/serve.ts";
import { openStateFolder } from "../../src/workspace/state/state-folder.ts";

const { IDLE_MS = "60000", PORT } = process.env;
appendFileSync(join(process.cwd(), ".git", "starts"), `${process.pid}\n`);

const guard: GuardEndpoint = async (client, payload, env) => {
  const text = Buffer.from(payload).toString();
  if (text.includes("hang")) await new Promise((resolve) => setTimeout(resolve, 60_000));
  if (text.includes("fail")) throw new Error("the guard itself failed");
  const said = `${client} ${env.LOCKSTEP_TASK ?? "no task"} ${env.CLAUDE_AGENT_ROLE ?? "no role"} ${payload.length}`;
  if (!text.includes("forbidden")) return { exit: 0, stdout: JSON.stringify({ said }), stderr: "" };
  const reason = `no: a@@b 'x' "y" $HOME \`id\` \\n ${said}`;
  return { exit: 2, stdout: `${JSON.stringify({ reason })}\n`, stderr: `${reason}\nsecond line@` };
};

const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());
using opened = await openEngine({ create: true });
try {
  await serve({
    engine: opened.engine,
    folder: openStateFolder(opened.project),
    guard,
    idleMs: Number(IDLE_MS),
    ...(PORT === undefined ? {} : { port: Number(PORT) }),
    stop: stop.signal,
    onLag: () => {},
    onListening: ({ socket, port }) => console.log(JSON.stringify({ socket, port, pid: process.pid })),
  });
} catch (error) {
  if (!(error instanceof HostRunning)) throw error;
  console.log(error.message);
}
