import * as z from "zod";
import { field } from "../core/values/fields.ts";
import { agentClients } from "./client-names.ts";
import { hooks } from "./config-hooks.ts";
import { command, entriesOf, line, name, variableName, word } from "./config-parts.ts";

/** Agents, and the types of task they work on. */

const ownPrograms = ["command", "script"] as const;
const adapters = [...agentClients, ...ownPrograms] as const;

const namesShownMax = 30;

const agentName = name.nullable().default(null);

const agent = z
  .strictObject({
    adapter: z.enum(adapters).describe("the client, or `command` for any program: docs/agents.md"),
    role: line.default("Coder").describe("Coder, Reviewer, QA or another role of `lockstep start`"),
    model: line.nullable().default(null).describe("the model; null: the client's own choice"),
    run: command
      .optional()
      .describe("the program and its arguments, with the adapters `command` and `script`"),
    args: z.array(word).default([]).describe("further arguments for the client"),
    env: z.record(variableName, word).default({}).describe("further environment variables"),
    escalate_to: agentName.describe("the agent that takes over if this one fails"),
    fallback: agentName.describe("the agent to use while this one cannot start, or is at its usage limit"),
    label: agentName.describe("with several machines: only those with this label run the agent"),
    rework: z
      .enum(["resume", "fresh"])
      .default("resume")
      .describe("after a rejection: resume its conversation, or start a fresh one"),
    hooks: hooks.describe("hooks in place of the task type's and the project's"),
  })
  .superRefine(({ adapter, run }, context) => {
    if (adapter === "command" && run === undefined)
      context.addIssue({
        code: "custom",
        path: ["run"],
        message: 'a program and its arguments, such as ["node", "agents/qa.mjs"]',
      });
    if (run !== undefined && !ownPrograms.some((own) => own === adapter))
      context.addIssue({
        code: "custom",
        path: ["run"],
        message: `no such key: the adapter \`${adapter}\` has its own program`,
      });
  });

export const agents = z
  .record(name, agent)
  .default({})
  .meta({
    description: `The agents, each with a name of your choice. Without any, the first client on PATH: ${agentClients.join(", ")}.`,
    example: {
      coder: { adapter: "claude" },
      tests: { adapter: "command", role: "QA", run: ["node", "agents/qa.mjs"] },
    },
  });

const agentNames = (what: string) =>
  z
    .array(name, "a list of agents")
    .min(1, "at least one agent, or no such key for all of them")
    .nullable()
    .default(null)
    .describe(what);

const taskType = z.strictObject({
  hooks: hooks.describe("hooks in place of the project's"),
  agents: z
    .strictObject({
      implementer: agentNames("the agents that do the work; null: all agents"),
      gatekeeper: agentNames("the agents that review it; null: all agents"),
    })
    .prefault({})
    .describe("the agents for tasks of this type"),
});

export const taskTypes = z
  .record(name, taskType)
  .default({})
  .meta({
    description: "Kinds of tasks: the `type` of a task names one. Each has its own hooks and agents.",
    example: {
      product: {
        hooks: {
          before_submit: ["rebase_on_main", "run_tests", "create_pr"],
          before_merge: [{ gatekeeper: ["qa", "architecture"] }],
        },
        agents: { implementer: ["coder"], gatekeeper: ["tests"] },
      },
    },
  });

/** Refuses the name of an agent that is not configured, and an agent that hands over to itself. */
export function checkAgentNames(config: unknown, context: z.core.$RefinementCtx): void {
  const names = entriesOf(field(config, "agents")).map(([one]) => one);
  const shown = names.slice(0, namesShownMax).map((one) => `\`${one}\``);
  const known = shown.length === 0 ? "list it under agents, where there is none" : shown.join(", ");
  for (const { path, agent, of } of agentReferences(config)) {
    const message = agent === of ? "an agent other than itself" : `a configured agent: ${known}`;
    if (agent === of || !names.includes(agent)) context.addIssue({ code: "custom", path, message });
  }
}

interface AgentReference {
  readonly path: (string | number)[];
  readonly agent: string;
  /** The agent whose configuration has the reference. */
  readonly of?: string;
}

function agentReferences(config: unknown): AgentReference[] {
  const ofAgents = entriesOf(field(config, "agents")).flatMap(([of, one]) =>
    ["escalate_to", "fallback"].flatMap((key) => {
      const agent = field(one, key);
      return typeof agent === "string" ? [{ path: ["agents", of, key], agent, of }] : [];
    }),
  );
  const ofTypes = entriesOf(field(config, "task_types")).flatMap(([type, one]) =>
    entriesOf(field(one, "agents")).flatMap(([part, listed]) =>
      (Array.isArray(listed) ? listed : []).flatMap((agent, index) =>
        typeof agent === "string" ? [{ path: ["task_types", type, "agents", part, index], agent }] : [],
      ),
    ),
  );
  return [...ofAgents, ...ofTypes];
}
