import { Command, CommanderError } from "commander";
import manifest from "../../package.json" with { type: "json" };

const program = new Command("lockstep")
  .description("Keeps coding agents inside their locks, in code and not in prompts")
  .version(manifest.version, "-V, --version")
  .option("--debug", "show stack traces")
  .configureOutput({ outputError: (text, write) => write(oneLine(text)) })
  .exitOverride();

program
  .command("explain")
  .argument("<command>", "a shell command line, quoted")
  .description("what a shell command would write and run, and whether a lock allows it")
  .option("--scope <path...>", "judge it for an agent that holds these paths")
  .option("--others <path...>", "paths that other tasks hold")
  .option("--json", "one JSON document on stdout")
  .action(async (line: string, options) => {
    process.exitCode = (await import("./explain.ts")).explainCommand(line, options);
  });

program
  .command("schema")
  .argument("[name]", "a schema's name; without it, the list")
  .description("the JSON Schemas of hook payloads and verdicts")
  .option("--json", "the list as one JSON document")
  .action(async (name: string | undefined, options) => {
    process.exitCode = (await import("./schema.ts")).schemaCommand(name, options);
  });

program.commandsGroup("For other programs:");
// Runs from its own bundle (see bin/lockstep.cjs); named here so that `--help` lists it.
program
  .command("hook")
  .argument("<point>")
  .description("one of the eight hook points: JSON on stdin, a verdict on stdout");

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

function oneLine(text: string): string {
  const [, problem = text] = /^error: (.*)/.exec(text) ?? [];
  return `lockstep: R-IN-001: ${problem.trim()}; see \`lockstep --help\`\n`;
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const debug = process.argv.includes("--debug");
  const fault = error instanceof Error ? error : new Error(String(error));
  process.stderr.write(`lockstep: E-INTERNAL: ${debug ? fault.stack : fault.message}\n`);
  return 1;
}
