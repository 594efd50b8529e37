import type { Command } from "commander";
import { operations } from "../../contract/operations.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import { type CommandRight, commandRight } from "../../core/shell/programs/agents/own-commands.ts";
import { tellRefusal } from "../output/verdicts.ts";
import type { Caller } from "./who-calls.ts";

/** The command is not this caller's. */
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

/** Every command goes through here before it does anything: what is not an agent's is a person's. */
export async function refuseCaller(command: Command): Promise<void> {
  const name = nameOf(command);
  const right = commandRight([name, ...command.args]);
  if (right === "anyone" || name === "guard") return;
  const { whoCalls } = await import("./who-calls.ts");
  const refused = insideLock(name, right) ?? (await whyRefused(name, right, await whoCalls()));
  if (refused === undefined) return;
  throw new CallRefused(refused, command.opts().json === true || printsVerdict.test(name));
}

/** Such as `task add`. */
function nameOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${nameOf(parent)} ${command.name()}` : command.name();
}

/** The answer of these is a verdict, whatever their options. */
const printsVerdict = /^(?:dispatch|heartbeat|submit|complete|release|watchdog)$/;

async function whyRefused(name: string, right: CommandRight, caller: Caller): Promise<Deny | undefined> {
  if (caller.kind === "person") return undefined;
  if (caller.kind === "agent") {
    // Hooks start it, and they are started by clients.
    if (name === "serve" || right === "task") return undefined;
    const { orchestrates } = await import("./caller.ts");
    if (right === "orchestrator" && (await orchestrates(caller))) return undefined;
  }
  if (caller.kind === "orchestrator" && right !== "person") return undefined;
  if (caller.kind === "task" && (right === "task" || isFenced(name))) return undefined;
  const whose = right === "orchestrator" ? "a person or an orchestrating agent runs" : "only a person runs";
  const reason = `${whose} \`lockstep ${name}\`, and ${caller.seen}; a person has to do it in their own terminal`;
  return deny("R-AU-001", reason, { command: name, caller: caller.kind });
}

/** A script in the sandbox of a tool call: the ledger is hidden there, and looks as if there were none. */
function insideLock(name: string, right: CommandRight): Deny | undefined {
  if (!process.env.LOCKSTEP_INSIDE || right !== "task") return undefined;
  const why = `\`lockstep ${name}\` was run by a program inside an agent's lock, where the ledger cannot be reached`;
  return deny("R-AU-001", `${why}: run it as a command of its own, not from a script`, { command: name });
}

/** A stale agent hears that it is stale before it hears what it may not do. */
function isFenced(name: string): boolean {
  return Object.entries(operations).some(([operation, rules]) => operation === name && "fenced" in rules);
}
