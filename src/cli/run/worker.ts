import type { AgentEvent } from "../../clients/agent.ts";
import { readLabels } from "../../core/plan/placement.ts";
import { Agents } from "../../run/attempt/agents.ts";
import { Conductor } from "../../run/conduct/conduct.ts";
import { withDefaultAgent } from "../../run/conduct/default-agent.ts";
import { SessionFinder } from "../../run/conduct/fleet/find-sessions.ts";
import { isFleet } from "../../run/conduct/fleet/fleet.ts";
import { openMember } from "../../run/conduct/open-run.ts";
import type { IntegrationContext } from "../../run/landing/integration.ts";
import { withRoleAgents } from "../../session/roles/role-agents.ts";
import { waysOfSession } from "../../session/tasks/take-part.ts";
import { loadConfig } from "../../workspace/config/load-config.ts";
import { currentFolder, findProject } from "../../workspace/files/find-project.ts";
import { openOwnClone, refreshOwnClone } from "../../workspace/git/own-clone.ts";
import { git, tryGit } from "../../workspace/git/run-git.ts";
import { chooseSandbox } from "../../workspace/sandbox/choose-sandbox.ts";
import { openStateFolder } from "../../workspace/state/state-folder.ts";
import { thisMachine } from "../../workspace/state/this-machine.ts";
import { inRepository } from "../open/in-repository.ts";
import { CommandFault } from "../output/command-fault.ts";
import { writeAll } from "../output/descriptor.ts";
import { counted, printable } from "../output/table.ts";
import { faultVerdict, tellRefusal } from "../output/verdicts.ts";
import { JsonLines } from "../run-view/json-lines.ts";
import { PlainLines } from "../run-view/plain-lines.ts";
import { listenForStops } from "./listen-for-stops.ts";

interface WorkerOptions {
  readonly repo?: string;
  readonly slots?: string;
  readonly label?: readonly string[];
  readonly unsandboxed?: boolean;
  readonly json?: boolean;
  readonly jsonLines?: boolean;
}

/** Exit 0: it was stopped; 1: it ended because of an error. */
export async function workerCommand(options: WorkerOptions): Promise<number> {
  try {
    if (options.json === true && options.jsonLines === true)
      throw new CommandFault("R-IN-001", "--json and --json-lines cannot be combined: use one of them");
    const url = options.repo ?? (await urlFromHere());
    for (;;) {
      process.chdir(await enterClone(url));
      let isAgain = false;
      const exit = await inRepository("worker", options, async (context) => {
        const { isAgain: again, ...told } = await work(context, options);
        isAgain = again;
        return told;
      });
      if (!isAgain) return exit;
    }
  } catch (error) {
    if (process.argv.includes("--debug") && error instanceof Error) writeAll(2, `${error.stack}\n`);
    return tellRefusal(faultVerdict(error), options.json);
  }
}

/** A clone of its own, so that it never touches a person's checkout. */
async function enterClone(url: string): Promise<string> {
  const clone = await openOwnClone(url);
  if ("why" in clone) throw new CommandFault("E-GIT", `\`${url}\` cannot be cloned: ${clone.why}`);
  const { root } = clone;
  const first = await git(root, ["remote"]);
  const base = await git(root, ["symbolic-ref", "--short", "HEAD"]);
  const failed = await refreshOwnClone(root, first, base);
  if (failed !== undefined) throw new CommandFault("E-GIT", `\`${url}\` cannot be fetched: ${failed.why}`);
  const loaded = await loadConfig(root);
  const { remote = null, base_branch: named = null } = "config" in loaded ? loaded.config : {};
  if (remote !== null && remote !== first) await git(root, ["remote", "rename", first, remote]);
  if (named !== null && named !== base) await refreshOwnClone(root, remote ?? first, named);
  return root;
}

/** The address of the remote that the project of the current folder shares. */
async function urlFromHere(): Promise<string> {
  const { place, commonFolder } = findProject(currentFolder());
  const unknown = new CommandFault(
    "R-IN-001",
    "no repository is named: `lockstep worker --repo URL`, or run it in a clone whose configuration has `remote`",
  );
  if (commonFolder === undefined) throw unknown;
  const loaded = await loadConfig(place.root);
  const remote = "config" in loaded ? loaded.config.remote : null;
  if (remote === null) throw unknown;
  const { exit, stdout } = await tryGit(place.root, ["remote", "get-url", remote]);
  if (exit !== 0) throw unknown;
  return stdout.toString("utf8").trim();
}

async function work(given: IntegrationContext, options: WorkerOptions) {
  const { repository, engine } = given;
  const found = withDefaultAgent(given.config, { path: process.env.PATH ?? "", root: repository.root });
  if ("allow" in found) throw new CommandFault(found.code, found.reason);
  if (!isFleet({ engine, config: found })) throw notShared();
  const sandbox = await sandboxFor(found.sandbox, options.unsandboxed === true);
  const slots = slotsOf(options.slots, found.limits.max_parallel);
  const labels = readLabels(options.label ?? [], process.env.LOCKSTEP_LABELS);
  await using _events = options.jsonLines === true ? await JsonLines.open(engine.ledger, null) : undefined;
  await using lines = new PlainLines("", engine.ledger);
  const context = { ...given, config: found, onProgress: (line: string) => lines.step(line) };
  const roles = withRoleAgents(found);
  const agents = new Agents(roles.config, repository, labels);
  const done = new Set<string>();
  const onTask = (task: string, event: AgentEvent) => {
    done.add(task);
    lines.onTask(task, event);
  };
  using stops = listenForStops({ watcher: () => lines, otherRun: () => undefined });
  const stateFolder = openStateFolder(findProject(repository.root));
  const offering = { kind: "worker", slots, labels } as const;
  await using member = await openMember(context, { stateFolder, onTask, agents, sandbox, offering });
  const { id, name } = thisMachine();
  lines.tell(
    `worker ${printable(name)} (${id}): ${counted(slots, "slot")}${labelText(labels)}, in ${repository.root}`,
  );
  const conductor = await Conductor.open(member.context, stops);
  const finder = await SessionFinder.open({ context, member, agents, ways: waysOfSession(roles) });
  await conductor.run(() => (stops.gently.aborted ? Promise.resolve([]) : finder.news()));
  const hasNewConfig = member.fleet?.shouldStartAgain === true && !stops.gently.aborted;
  // With --json, one document is the whole output: the caller starts the worker again.
  const isAgain = hasNewConfig && options.json !== true;
  if (isAgain) member.fleet?.stayListed();
  const document = { machine: id, name, tasks: [...done], configuration_changed: hasNewConfig };
  const text = `worked on ${counted(done.size, "task")}\n`;
  return { exit: 0, text, refusals: [], document, isAgain };
}

function labelText(labels: readonly string[]): string {
  return labels.length === 0 ? "" : `, ${labels.length === 1 ? "label" : "labels"} ${labels.join(", ")}`;
}

function notShared(): CommandFault {
  return new CommandFault(
    "E-CONFIG",
    "nothing to take part in: set `ledger.url` (or LOCKSTEP_LEDGER_URL), `remote` and `integrate: push` in .lockstep/config.yaml at the base branch, see docs/machines.md",
  );
}

/** Agents of other people's plans run here, so isolation is not optional without saying so. */
async function sandboxFor(wish: Parameters<typeof chooseSandbox>[0], unsandboxed: boolean) {
  const chosen = await chooseSandbox(wish);
  if (!("error" in chosen) && (chosen.sandbox.enforces || unsandboxed)) return chosen.sandbox;
  const why = "error" in chosen ? chosen.error : (chosen.missing ?? "`sandbox: off` is configured");
  throw new CommandFault(
    "R-PE-003",
    `a worker runs agents only in a sandbox: ${why}: install what is missing, or accept agents that can read everything you can with --unsandboxed`,
  );
}

function slotsOf(text: string | undefined, usual: number): number {
  if (text === undefined) return usual;
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new CommandFault("R-IN-001", `--slots takes a whole number from 1 to 999, not \`${text}\``);
}
