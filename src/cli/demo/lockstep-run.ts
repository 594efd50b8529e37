import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { stringify } from "yaml";
import { idOfKey } from "../../core/names/task-name.ts";
import { asCriterion } from "../../core/proof/criterion.ts";
import type { Deny } from "../../core/rules/verdict.ts";
import { maskSecrets } from "../../core/secrets/mask-secrets.ts";
import type { Status, TaskStatus } from "../../engine/views/read-status.ts";
import { CommandFault } from "../output/command-fault.ts";
import { halfWay } from "./agents.ts";
import type { DemoAgent } from "./demo-agent.ts";
import { makeRepository, writeFiles } from "./demo-folder.ts";
import { plainEnvironment } from "./plain-environment.ts";
import { shop } from "./shop.ts";

export interface LockstepRun {
  readonly repository: string;
  readonly log: string;
  /** By task, from `run --json`. */
  readonly tasks: ReadonlyMap<string, TaskStatus>;
  /** The open decisions, by task. */
  readonly questions: ReadonlyMap<string, Status["decisions"][number]>;
}

interface Setting {
  readonly folder: string;
  /** Does the honest tasks instead of a script. */
  readonly client: string | undefined;
  readonly stop: AbortSignal;
  onLine(line: string): void;
}

/** Runs `lockstep run` as a person would, kills it half-way, and runs it again. */
export async function runLockstep(
  agents: readonly DemoAgent[],
  { folder, client, stop, onLine }: Setting,
): Promise<LockstepRun> {
  const repository = await makeRepository(join(folder, "lockstep"), {
    ...shop,
    ".gitignore": "/agents/\n",
    ".lockstep/config.yaml": configOf(agents, client),
    "tasks.yaml": planOf(agents),
  });
  writeScripts(join(repository, "agents"), agents);
  const log = join(folder, "lockstep.log");
  const call = (killAt?: string) => callRun({ repository, log, stop, onLine, killAt });
  const killed = await call(halfWay);
  if (killed !== "killed") throw refusalOf(killed);
  onLine("killed with SIGKILL: the same command again");
  const document = await call();
  if (document === "killed" || !Array.isArray(document.tasks)) throw refusalOf(document);
  const tasks = document.tasks.map((task) => [task.id, task] as const);
  // For a halted task, the table shows that it was halted, not the question whether it may continue.
  const questions = (document.decisions ?? [])
    .filter(({ kind }) => kind !== "continue")
    .map((one) => [idOfKey(one.task), one] as const);
  return { repository, log, tasks: new Map(tasks), questions: new Map(questions) };
}

/** The scripts are in neither repository, because one of them contains a secret. */
export function writeScripts(folder: string, agents: readonly DemoAgent[]): void {
  const files = agents.map(({ task, attempts }) => [`${task}.yaml`, stringify({ attempts })]);
  writeFiles(folder, Object.fromEntries(files));
}

function configOf(agents: readonly DemoAgent[], client: string | undefined): string {
  const listed = agents.map(({ task, honest }) => [
    task,
    honest && client !== undefined
      ? { adapter: client }
      : { adapter: "script", run: [`agents/${task}.yaml`] },
  ]);
  const settings = {
    limits: { review_retries: 1 },
    checks: { default: ["node --test"] },
    agents: Object.fromEntries(listed),
  };
  return `# One retry instead of three, to keep the demo short.\n${stringify(settings)}`;
}

/** The agents that get stuck come first, so that the run does not wait for them at the end. */
function planOf(agents: readonly DemoAgent[]): string {
  const tasks = agents.toReversed().map(({ task, title, goal, scope, checks, proves, timeoutSeconds }) => ({
    ...{ id: task, title, goal, agent: task, lock_scope: scope, proves },
    acceptance_checks: checks.map(asCriterion),
    ...(timeoutSeconds === undefined
      ? {}
      : { timeout_seconds: timeoutSeconds, heartbeat_interval_seconds: 1 }),
  }));
  return stringify({ project: { name: "shop" }, tasks });
}

interface RunCall {
  readonly repository: string;
  readonly log: string;
  readonly killAt: string | undefined;
  readonly stop: AbortSignal;
  onLine(line: string): void;
}

interface RunDocument extends Partial<Deny> {
  readonly tasks?: readonly TaskStatus[];
  readonly decisions?: Status["decisions"];
}

/** The printed document; or `killed`, once an agent has printed the given text. */
async function callRun({ repository, log, killAt, stop, onLine }: RunCall) {
  const words = [...process.execArgv, process.argv[1] ?? "", "run", "--json"];
  // Checkouts must not be inside another working tree, and the temporary folder could be in one.
  const state = join(repository, ".git", "state");
  const child = spawn(process.execPath, words, {
    cwd: repository,
    env: { ...plainEnvironment(), XDG_STATE_HOME: state, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const kill = () => void child.kill("SIGKILL");
  stop.addEventListener("abort", kill);
  const out: Buffer[] = [];
  const told: string[] = [];
  createInterface(child.stderr).on("line", (line) => {
    told.push(line);
    onLine(line.replace(/^\d\d:\d\d:\d\d /, ""));
    if (killAt !== undefined && line.endsWith(killAt)) kill();
  });
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  const signal = await new Promise<NodeJS.Signals | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (_exit, by) => resolve(by));
  });
  stop.removeEventListener("abort", kill);
  // The log is stored, so secrets are masked (INV-8).
  appendFileSync(log, `$ lockstep run\n${await maskSecrets(told.join("\n"))}\n`);
  stop.throwIfAborted();
  if (signal === "SIGKILL" && killAt !== undefined) return "killed";
  return readDocument(Buffer.concat(out).toString(), told);
}

function readDocument(text: string, told: readonly string[]): RunDocument {
  try {
    return JSON.parse(text) as RunDocument;
  } catch (cause) {
    throw new Error(`\`lockstep run\` printed no document: ${told.slice(-3).join("; ")}`, { cause });
  }
}

/** The run's own refusal if it ended too early. */
function refusalOf(document: RunDocument | "killed"): Error {
  if (document !== "killed" && document.code !== undefined && document.reason !== undefined)
    return new CommandFault(document.code, document.reason);
  return new Error("`lockstep run` ended before its agents were half-way");
}
