import type { Command } from "commander";
import { operations } from "../../contract/operations.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import { type CommandRight, commandRight } from "../../core/shell/programs/agents/own-commands.ts";
import { tellRefusal } from "../output/verdicts.ts";
import type { Caller } from "./who-calls.ts";

/** The caller may not run this command. */
export class CallRefused extends Error {
  readonly #refused: Deny;
  readonly #json: boolean;

  constructor(refused: Deny, json: boolean) {
    super(refused.reason);
    this.#refused = refused;
    this.#json = json;
  }

  tell(): number {
    return tellRefusal(this.#refused, this.#json);
  }
}

/** Called before every command: refuses callers without the right to it. Commands are a person's unless listed for agents. */
export async function refuseCaller(command: Command): Promise<void> {
  const name = nameOf(command);
  const right = commandRight([name, ...command.args]);
  if (right === "anyone" || name === "guard") return;
  const { whoCalls } = await import("./who-calls.ts");
  const refused = insideLock(name, right) ?? (await whyRefused(name, right, await whoCalls()));
  if (refused === undefined) return;
  throw new CallRefused(refused, command.opts().json === true || printsVerdict.test(name));
}

/** The full name, such as `task add`. */
function nameOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${nameOf(parent)} ${command.name()}` : command.name();
}

/** These commands always print a verdict as JSON. */
const printsVerdict = /^(?:dispatch|heartbeat|submit|complete|release|watchdog)$/;

async function whyRefused(name: string, right: CommandRight, caller: Caller): Promise<Deny | undefined> {
  if (caller.kind === "person") return undefined;
  if (caller.kind === "agent") {
    // Clients start hooks, and hooks start the server.
    if (name === "serve" || right === "task") return undefined;
    const { orchestrates } = await import("./caller.ts");
    if (right === "orchestrator" && (await orchestrates(caller))) return undefined;
  }
  if (caller.kind === "orchestrator" && right !== "person") return undefined;
  if (caller.kind === "task" && (right === "task" || isFenced(name))) return undefined;
  const whose =
    right === "orchestrator" ? "only a person or an orchestrating agent may run" : "only a person may run";
  const reason = `${whose} \`lockstep ${name}\`, and ${caller.seen}; a person has to run it in their own terminal`;
  return deny("R-AU-001", reason, { command: name, caller: caller.kind });
}

/** Refuses a script in the sandbox of a tool call: the ledger is hidden there and would look missing. */
function insideLock(name: string, right: CommandRight): Deny | undefined {
  if (!process.env.LOCKSTEP_INSIDE || right !== "task") return undefined;
  const why = `\`lockstep ${name}\` was run by a program inside an agent's lock, where the ledger cannot be reached`;
  return deny("R-AU-001", `${why}: run it directly as a shell command, not from a script`, { command: name });
}

/** For fenced operations the engine reports a stale agent first, before missing rights. */
function isFenced(name: string): boolean {
  return Object.entries(operations).some(([operation, rules]) => operation === name && "fenced" in rules);
}
