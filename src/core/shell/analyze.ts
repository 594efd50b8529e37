import { givenDescriptors } from "./descriptors.ts";
import { Evaluator } from "./evaluate.ts";
import { LimitExceeded, type ShellContext } from "./machine.ts";
import { parseSource } from "./parse-source.ts";
import { Report } from "./report.ts";
import type { ShellAnalysis } from "./types.ts";
import type { World } from "./world.ts";

/** What a command line would write and run. A command that the analysis cannot follow is refused. */
export function analyzeCommand(command: string, context: ShellContext): ShellAnalysis {
  const report = new Report();
  try {
    follow(command, context, report);
  } catch (error) {
    const why =
      error instanceof LimitExceeded ? error.message : "the analysis failed; split it into simpler commands";
    report.refuse("unparsed", `the command cannot be followed: ${why}`);
  }
  return report.finish();
}

function follow(command: string, context: ShellContext, report: Report): void {
  const script = parseSource(command);
  if ("why" in script) {
    report.refuse("unparsed", `the command cannot be followed: ${script.why}`);
    return;
  }
  const [error] = script.errors ?? [];
  if (error !== undefined) report.refuse("unparsed", `the command cannot be parsed: ${error.message}`);
  const evaluator = new Evaluator(context, report, command);
  evaluator.runTraps(evaluator.list(script.commands, startOf(context), { kind: "none" }));
}

function startOf(context: ShellContext): World {
  return {
    cwd: context.cwd,
    previous: undefined,
    stack: [],
    variables: new Map(),
    inherits: true,
    exported: new Set(),
    functions: new Map(),
    aliases: new Map(),
    positional: undefined,
    stopsOnError: false,
    physical: false,
    folders: new Set(),
    descriptors: givenDescriptors,
  };
}
