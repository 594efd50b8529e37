import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentClient, AgentEvent } from "../../clients/agent.ts";
import { commandAgent } from "../../clients/command/run.ts";
import { assignmentOf } from "../../clients/input/universal-input.ts";
import { scriptAgent } from "../../clients/script/run.ts";
import type { Config } from "../../contract/config.ts";
import { agentsForTask } from "../../core/plan/agents-for-task.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import type { TaskState } from "../../core/tasks/states.ts";
import { operate } from "../../engine/operate.ts";
import { openHost } from "../../server/host.ts";
import { appendToMemory } from "../../workspace/append-to-memory.ts";
import { readRef } from "../../workspace/git/refs.ts";
import type { LoadedPlan } from "../../workspace/plan/load-plan.ts";
import type { SessionPlan } from "../../workspace/plan/open-session-plan.ts";
import { writeStatuses } from "../../workspace/plan/write-statuses.ts";
import { chooseSandbox } from "../../workspace/sandbox/choose-sandbox.ts";
import { SandboxFault } from "../../workspace/sandbox/sandbox.ts";
import type { IntegrationContext } from "../integration.ts";
import type { AttemptTask } from "./attempt.ts";
import { Dependencies } from "./dependencies.ts";
import type { RunContext } from "./run-context.ts";
import { TaskLogs } from "./task-logs.ts";

export interface OpenedRun extends AsyncDisposable {
  readonly context: RunContext;
  readonly tasks: readonly AttemptTask[];
  /** Which walls stand around the agents. */
  readonly walls: { readonly sandbox: boolean; readonly missing?: string };
}

export interface RunWish {
  readonly plan: LoadedPlan;
  readonly session: SessionPlan;
  readonly stateFolder: string;
  onTask(task: string, event: AgentEvent): void;
}

/** Everything that can be wrong before an agent starts is found here. */
export async function openRun(
  context: IntegrationContext,
  { plan, session, stateFolder, onTask }: RunWish,
): Promise<OpenedRun | Deny> {
  const { config, engine, repository } = context;
  const chosen = await chooseSandbox(config.sandbox);
  if ("error" in chosen) throw new SandboxFault(chosen.error);
  const tasks = attemptTasks(context, plan, session.session);
  for (const [name, client] of new Map(tasks.map(({ agent, client: one }) => [agent, one]))) {
    const probe = await client.probe();
    if (!probe.usable) return deny("R-AG-001", `agent \`${name}\` cannot be used: ${probe.reason}`);
  }
  const refused = await addTasks(context, tasks);
  if (refused !== undefined) return refused;
  if (!config.session.commit) keepOutOfCommits(repository.commonFolder);
  const host = await openHost(engine, stateFolder);
  const logs = new TaskLogs(stateFolder);
  const remember = (file: string, text: string) => {
    const at = new Date(engine.clock.now().wallMs).toISOString();
    appendToMemory(repository.root, `.agents-work/${session.session}/${file}`, `- ${at} ${text}\n`);
  };
  return {
    walls: {
      sandbox: chosen.sandbox.enforces,
      ...(chosen.missing === undefined ? {} : { missing: chosen.missing }),
    },
    tasks,
    context: {
      ...context,
      session: session.session,
      sandbox: chosen.sandbox,
      socket: host.socket,
      dependencies: new Dependencies(context),
      atBase: () => atBase(context),
      remember,
      onTask: (task: string, event: AgentEvent) => {
        onTask(task, event);
        if ("text" in event) logs.add(task, new Date(engine.clock.now().wallMs), event.text);
      },
      onStates: (states: ReadonlyMap<string, TaskState>) => void writeStatuses(session.file, states),
    },
    [Symbol.asyncDispose]: async () => {
      try {
        await logs.written();
      } finally {
        await host[Symbol.asyncDispose]();
      }
    },
  };
}

async function atBase(context: IntegrationContext): Promise<IntegrationContext> {
  const { root, base, baseCommit } = context.repository;
  const now = (await readRef(root, `refs/heads/${base}`)) ?? baseCommit;
  return { ...context, repository: { ...context.repository, baseCommit: now } };
}

function attemptTasks(
  { config, repository }: IntegrationContext,
  plan: LoadedPlan,
  session: string,
): readonly AttemptTask[] {
  const clients = new Map<string, AgentClient>();
  return plan.tasks.map((task) => {
    const [agent = ""] = agentsForTask(task, { agents: config.agents, taskTypes: config.task_types });
    const client = clients.get(agent) ?? clientOf(config, agent, repository.root);
    clients.set(agent, client);
    const worklog = `.agents-work/${session}/worklogs/${task.id}.md`;
    return {
      key: `${session}/${task.id}`,
      plan: task,
      agent,
      role: config.agents[agent]?.role ?? "Coder",
      client,
      packet: {
        task_id: `${session}/${task.id}`,
        title: task.title,
        agent,
        depends_on: task.depends_on.map((id) => `${session}/${id}`),
        assignment: { ...assignmentOf(task, worklog), proves: task.proves, uses: task.uses },
      },
    };
  });
}

function clientOf({ agents }: Config, name: string, root: string): AgentClient {
  const agent = agents[name];
  if (agent?.adapter === "command") return commandAgent({ run: agent.run ?? [], root });
  if (agent?.adapter === "script") return scriptAgent({ script: agent.run?.[0] ?? "", root });
  const reason = `the adapter \`${agent?.adapter}\` is not built yet: use \`command\` or \`script\``;
  return {
    probe: async () => ({ usable: false, why: "missing", reason }),
    start: () => {
      throw new Error(reason);
    },
  };
}

async function addTasks(
  { engine, call }: IntegrationContext,
  tasks: readonly AttemptTask[],
): Promise<Deny | undefined> {
  for (const { key, packet } of tasks) {
    if ((await engine.ledger.task(key)) !== undefined) continue;
    const added = await operate(engine, "task-add", { packet }, call);
    if (!added.allow) return added;
  }
  return undefined;
}

/** The session's files are for people to look at, not for every commit that somebody makes with `git add -A`. */
function keepOutOfCommits(commonFolder: string): void {
  const file = join(commonFolder, "info", "exclude");
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  if (/^\/\.agents-work\/$/m.test(text)) return;
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${text === "" || text.endsWith("\n") ? "" : "\n"}/.agents-work/\n`);
}
