import { parse } from "unbash";
import { Evaluator, TooMuch } from "./evaluate.ts";
import { commandBytesMax, type ShellContext } from "./machine.ts";
import { Report } from "./report.ts";
import type { ShellAnalysis } from "./types.ts";
import type { World } from "./world.ts";

/** What a command line would write, run and hide. Whatever cannot be followed is a refusal. */
export function analyzeCommand(command: string, context: ShellContext): ShellAnalysis {
  const report = new Report();
  if (command.length > commandBytesMax) {
    report.refuse("unparsed", `the command is longer than ${commandBytesMax} characters`);
    return report.finish();
  }
  try {
    follow(command, context, report);
  } catch (error) {
    const why = error instanceof TooMuch ? error.message : "the analysis failed on it";
    report.refuse("unparsed", `the command cannot be followed: ${why}`);
  }
  return report.finish();
}

function follow(command: string, context: ShellContext, report: Report): void {
  const script = parse(command);
  const [error] = script.errors ?? [];
  if (error !== undefined) report.refuse("unparsed", `the command cannot be parsed: ${error.message}`);
  const evaluator = new Evaluator(context, report);
  const input = { kind: "none" } as const;
  const start = startOf(context);
  const end = evaluator.list(script.commands, start, input);
  const final = [...end.ok, ...end.fail, ...evaluator.escapes.exited];
  for (const code of evaluator.traps)
    for (const world of new Set(final)) evaluator.subshell(code, world, input);
}

function startOf(context: ShellContext): World {
  return {
    cwd: context.cwd,
    previous: undefined,
    stack: [],
    variables: new Map(),
    functions: new Map(),
    aliases: new Map(),
    positional: undefined,
    stopsOnError: false,
    physical: false,
  };
}
