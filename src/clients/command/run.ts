import { shortened } from "../../core/text/quoted.ts";
import { field, isObject, isText } from "../../core/values/fields.ts";
import type { AgentClient, AgentEvent } from "../agent.ts";
import { findAnswer } from "../answer/find-answer.ts";
import { findFault, programFile } from "../process/find-program.ts";
import { followProgram } from "../process/follow-program.ts";
import { LastBytes } from "../process/last-bytes.ts";
import { rolePrompt } from "../roles/role-prompt.ts";

/** The same limit as for a hook's input. A longer answer is not found. */
const answerBytesMax = 1024 * 1024;
const saidLengthMax = 2000;
const usageLengthMax = 1000;

export interface CommandAgent {
  /** The program and its arguments. */
  readonly run: readonly string[];
  /** The project's root. */
  readonly root: string;
  /** Variables from the configuration. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Any program as an agent: it gets the task as JSON on stdin and may answer in JSON. */
export function commandAgent({ run, root, env = {} }: CommandAgent): AgentClient {
  const [program = "", ...words] = run;
  return {
    passes: [],
    probe: async () =>
      findFault(program, { root, path: process.env.PATH ?? "" }) ?? {
        usable: true,
        version: null,
        can: { resume: false, hooks: false, usage: true, cost: true, model: false, structured: false },
      },
    start: (start) => {
      const printed = new LastBytes(answerBytesMax);
      return followProgram(start, {
        command: [programFile(program, root), ...words],
        env: { ...start.env, ...env },
        input: `${JSON.stringify(withRolePrompt(start.input, root))}\n`,
        onStdout: (chunk) => printed.add(chunk),
        onLine: (line, from) =>
          start.onEvent((from === "stdout" ? readUsage(line) : undefined) ?? said(line)),
        endOf: ({ exit }) => (exit === 0 ? { how: "done", answer: findAnswer(printed.text()) } : undefined),
      });
    },
  };
}

/** Adds the text about the role that clients get in their prompt. */
function withRolePrompt(input: unknown, root: string): unknown {
  const role = field(input, "role");
  return isText(role) && isObject(input) ? { ...input, role_prompt: rolePrompt(role, { root }) } : input;
}

function said(line: string): AgentEvent {
  return { type: "said", text: shortened(line.trimEnd(), saidLengthMax).toWellFormed() };
}

const usageLine = /^\s*\{\s*"usage"\s*:/;

/** Undefined for a line that is not valid usage; it is then ordinary output. */
function readUsage(line: string): AgentEvent | undefined {
  if (line.length > usageLengthMax || !usageLine.test(line)) return undefined;
  const usage = onlyField(line, "usage");
  const tokens = field(usage, "tokens");
  const costUsd = field(usage, "cost_usd");
  if (!Number.isSafeInteger(tokens) || (tokens as number) < 0) return undefined;
  const priced = typeof costUsd === "number" && Number.isFinite(costUsd) && costUsd >= 0;
  return { type: "usage", tokens: tokens as number, ...(priced && { costUsd }) };
}

function onlyField(json: string, name: string): unknown {
  try {
    const document: unknown = JSON.parse(json);
    return isObject(document) && Object.keys(document).length === 1 ? field(document, name) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
