import { z } from "zod";
import { field } from "../core/values/fields.ts";
import { hooks } from "./config-hooks.ts";
import { command, entriesOf, line, name, variableName, word } from "./config-parts.ts";

/** Who works, and on which types of task. */

const adapters = ["claude", "codex", "gemini", "opencode", "copilot", "command", "script"] as const;

const namesShownMax = 30;

const ownPrograms: readonly string[] = ["command", "script"] satisfies readonly (typeof adapters)[number][];

const agentName = name.nullable().default(null);

const agent = z
  .strictObject({
    adapter: z.enum(adapters).describe("the client, or `command` for any program"),
    role: line.default("Coder"),
    model: line.nullable().default(null).describe("null: the client's own choice"),
    run: command.optional().describe("the program, with the adapters `command` and `script`"),
    args: z.array(word).default([]).describe("further arguments for the client"),
    env: z.record(variableName, word).default({}),
    escalate_to: agentName.describe("the agent that takes over where this one fails"),
    fallback: agentName.describe("the agent to use where this one cannot start"),
    rework: z
      .enum(["resume", "fresh"])
      .default("resume")
      .describe("after a rejection: the same conversation, or a new one"),
    hooks: hooks.describe("in place of the task type's and the project's"),
  })
  .superRefine(({ adapter, run }, context) => {
    if (adapter === "command" && run === undefined)
      context.addIssue({
        code: "custom",
        path: ["run"],
        message: 'a program and its arguments, such as ["node", "agents/qa.mjs"]',
      });
    if (run !== undefined && !ownPrograms.includes(adapter))
      context.addIssue({
        code: "custom",
        path: ["run"],
        message: `no such key: the adapter \`${adapter}\` knows its program`,
      });
  });

export const agents = z.record(name, agent).default({});

const agentNames = z
  .array(name, "a list of agents")
  .min(1, "at least one agent, or no such key for all of them")
  .nullable()
  .default(null)
  .describe("null: all agents");

const taskType = z.strictObject({
  hooks,
  agents: z.strictObject({ implementer: agentNames, gatekeeper: agentNames }).prefault({}),
});

export const taskTypes = z.record(name, taskType).default({});

/** Refuses the name of an agent that is not configured, and an agent that hands over to itself. */
export function checkAgentNames(config: unknown, context: z.core.$RefinementCtx): void {
  const names = entriesOf(field(config, "agents")).map(([one]) => one);
  const shown = names.slice(0, namesShownMax).map((one) => `\`${one}\``);
  const known = shown.length === 0 ? "there is none" : shown.join(", ");
  for (const { path, agent, of } of agentReferences(config)) {
    const message = agent === of ? "another agent than itself" : `a configured agent: ${known}`;
    if (agent === of || !names.includes(agent)) context.addIssue({ code: "custom", path, message });
  }
}

interface AgentReference {
  readonly path: (string | number)[];
  readonly agent: string;
  /** The agent that it stands at. */
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
