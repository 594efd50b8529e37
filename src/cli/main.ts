import { fileURLToPath } from "node:url";
import { type Command, CommanderError } from "commander";
import { deny } from "../core/rules/verdict.ts";
import { asDiskFault } from "../workspace/files/disk-fault.ts";
import { lockstepProgram } from "./commands/lockstep-program.ts";
import { keepCompiledCode } from "./hook/keep-compiled.ts";
import { CallRefused, refuseCaller } from "./open/refuse-caller.ts";
import { isOutputLost, writeAll } from "./output/descriptor.ts";
import { exitOf } from "./output/exit-of.ts";
import { takenByOption } from "./run/taken-by-option.ts";

let isAction = false;
const program = lockstepProgram((bare) =>
  bare
    .configureOutput({
      writeOut: (text) => writeAll(1, text),
      outputError: (text, write) => write(`lockstep: R-IN-001: ${problemOf(text)}\n`),
    })
    .exitOverride()
    .hook("preAction", (_program, command) => {
      isAction = true;
      return refuseCaller(command);
    }),
);

void start();

/** The warm process starts this file again in a thread, for the board. Any other process starts `bin/lockstep.cjs`. */
async function start(): Promise<void> {
  if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const { isMainThread } = await import("node:worker_threads");
    if (!isMainThread) return (await import("./board/board-thread.ts")).serveBoardHere();
  }
  if (isNamed(process.argv[2])) process.once("exit", (code) => keepCompiledCode(isAction && code !== 2));
  try {
    await program.parseAsync();
  } catch (error) {
    process.exitCode = report(error);
  }
  if (isOutputLost()) process.exitCode ||= 1;
}

/** What was compiled is kept in a file for each command: mistyped ones get none. */
function isNamed(word: string | undefined): boolean {
  return word === undefined || word.startsWith("-") || program.commands.some((one) => one.name() === word);
}

function problemOf(text: string): string {
  const [, problem = text, near] = /^error: (.*)(?:\n\(Did you mean (.*)\?\))?/.exec(text) ?? [];
  const taken = problem.startsWith("missing required argument")
    ? takenByOption(process.argv, variadicOptions(program))
    : undefined;
  const told = problem.trim().replace(/\.$/, "");
  if (taken !== undefined) return `${told}: ${taken}`;
  const asked = commandAsked(program, process.argv.slice(2));
  const meant = longerOption(problem, process.argv[2]) ?? near;
  const next = meant === undefined ? `; see \`${asked} --help\`` : `: did you mean \`${meant}\`?`;
  return `${told}${next}`;
}

/** The option whose last words were given: `--max-parallel` for `--parallel`, and `--version` for `version`. */
function longerOption(problem: string, name: string | undefined): string | undefined {
  const [, word] = /^unknown (?:option|command) '(?:--)?([\w-]+)'/.exec(problem) ?? [];
  const { options } = program.commands.find((one) => one.name() === name) ?? program;
  return options.flatMap(({ long }) => (word !== undefined && long?.endsWith(`-${word}`) ? [long] : []))[0];
}

/** The command that the words name, such as `lockstep task cancel`. */
function commandAsked(command: Command, words: readonly string[]): string {
  const at = words.findIndex((word) => !word.startsWith("-"));
  const called = command.commands.find((one) => one.name() === words[at]);
  return called === undefined
    ? command.name()
    : `${command.name()} ${commandAsked(called, words.slice(at + 1))}`;
}

function variadicOptions({ commands, options }: Command): readonly string[] {
  const own = options.flatMap(({ variadic, long }) => (variadic && long ? [long] : []));
  return [...own, ...commands.flatMap(variadicOptions)];
}

/** Reports errors outside of commands, which report their own. */
function report(error: unknown): number {
  if (error instanceof CallRefused) return error.tell();
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    if (process.argv.includes("--json"))
      writeAll(1, `${JSON.stringify(deny("R-IN-001", problemOf(error.message)))}\n`);
    return 2;
  }
  const debug = process.argv.includes("--debug");
  const fault = asDiskFault(error) ?? (error instanceof Error ? error : new Error(String(error)));
  const code = "code" in fault && /^[ER]-/.test(String(fault.code)) ? String(fault.code) : "E-INTERNAL";
  writeAll(2, `lockstep: ${code}: ${debug ? fault.stack : fault.message}\n`);
  return exitOf(code);
}
