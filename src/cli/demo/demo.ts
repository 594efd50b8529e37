import { join } from "node:path";
import { findFault } from "../../clients/process/find-program.ts";
import { agentClients } from "../../contract/client-names.ts";
import { CommandFault } from "../output/command-fault.ts";
import { writeAll } from "../output/descriptor.ts";
import { faultVerdict, tellRefusal } from "../output/verdicts.ts";
import { demoAgents } from "./agents.ts";
import { openDemoFolder } from "./demo-folder.ts";
import { demoText } from "./demo-table.ts";
import { runLockstep, writeScripts } from "./lockstep-run.ts";
import { type DemoOutcome, examine } from "./outcome.ts";
import { runPlain } from "./plain-run.ts";
import { showStage } from "./stage.ts";

interface DemoOptions {
  readonly json?: boolean;
  readonly client?: string;
}

class DemoStopped extends Error {
  override readonly name = "DemoStopped";
  readonly folder: string;

  constructor(folder: string) {
    super("stopped");
    this.folder = folder;
  }
}

/** Exit 0 if Lockstep kept main green and merged nothing harmful, else 1. */
export async function demoCommand({ json, client }: DemoOptions): Promise<number> {
  try {
    if (client !== undefined) needClient(client);
    const outcome = await playBoth(client);
    writeAll(1, json === true ? `${JSON.stringify(outcome, null, 2)}\n` : demoText(outcome));
    return outcome.ok ? 0 : 1;
  } catch (error) {
    if (error instanceof DemoStopped) {
      writeAll(2, `lockstep: stopped; its files are in ${error.folder} until the next demo\n`);
      return 1;
    }
    if (process.argv.includes("--debug") && error instanceof Error) writeAll(2, `${error.stack}\n`);
    return tellRefusal(faultVerdict(error), json);
  }
}

function needClient(client: string): void {
  if (!agentClients.some((name) => name === client))
    throw new CommandFault(
      "R-IN-001",
      `\`${client}\` is not a client: name one of ${agentClients.join(", ")}`,
    );
  if (findFault(client, { root: process.cwd(), path: process.env.PATH ?? "" }) !== undefined)
    throw new CommandFault(
      "R-AG-001",
      `\`${client}\` is not on PATH: install it, or call \`lockstep demo\` without --client`,
    );
}

async function playBoth(client: string | undefined): Promise<DemoOutcome> {
  const started = performance.now();
  const stop = new AbortController();
  const folder = openDemoFolder();
  const onSignal = () => stop.abort(new DemoStopped(folder));
  process.once("SIGINT", onSignal).once("SIGTERM", onSignal);
  try {
    const outcome = await play({ folder, stop: stop.signal, client });
    return { ...outcome, seconds: Math.round((performance.now() - started) / 100) / 10 };
  } catch (error) {
    // Ctrl-C also ends git and other programs; their errors are not reported.
    stop.signal.throwIfAborted();
    throw error;
  } finally {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
}

interface Setting {
  readonly folder: string;
  readonly stop: AbortSignal;
  readonly client: string | undefined;
}

async function play({ folder, stop, client }: Setting) {
  const agents = demoAgents();
  const scripts = join(folder, "agents");
  writeScripts(scripts, agents);
  const plain = await inStage(`${agents.length} agents, plain branches`, (onLine) =>
    runPlain(agents, { folder, stop, scripts, onLine }),
  );
  const lockstep = await inStage(`${agents.length} agents, Lockstep`, (onLine) =>
    runLockstep(agents, { folder, stop, client, onLine }),
  );
  return inStage("both main branches, examined", () => examine(agents, { folder, plain, lockstep }));
}

async function inStage<Result>(title: string, act: (say: (line: string) => void) => Promise<Result>) {
  using stage = showStage(title);
  const result = await act(stage.say);
  stage.done();
  return result;
}
