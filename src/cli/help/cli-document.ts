import type { Argument, Command, Option } from "commander";
import { LockstepCommand } from "./lockstep-command.ts";
import { topics } from "./topics.ts";

/** docs/cli.md: every command with its arguments, options and examples. */
export function cliDocument(program: Command): string {
  const groups = Map.groupBy(visible(program), (command) => command.helpGroup());
  return [
    "<!-- Made by `npm run gen` from src/cli/commands/. Do not edit. -->",
    "# Commands",
    "",
    `${program.description()}. Every command takes \`--help\`; \`lockstep --version\` (or \`-v\`) prints the version, and`,
    "`--debug` shows stack traces. Commands that read take `--json`, commands that destroy `--dry-run`. [Exit",
    "codes](topics/exit-codes.md) are the same for all of them.",
    "",
    "Topics, also shown by `lockstep help TOPIC`:",
    "",
    ...Object.entries(topics).map(([name, about]) => `- [${name}](topics/${name}.md): ${about}`),
    "",
    "| | |",
    "|---|---|",
    ...[...groups].flatMap(([heading, commands]) => [
      `| **${heading.replace(/:$/, "")}** | |`,
      ...commands.map((one) => `| [\`${one.name()}\`](#lockstep-${one.name()}) | ${shortOf(one)} |`),
    ]),
    "",
    ...visible(program).flatMap(sectionsOf),
  ].join("\n");
}

function visible(command: Command): readonly Command[] {
  const isImplicit = (one: Command) => one.name() === "help" && command.parent !== null;
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => !isImplicit(one));
}

function shortOf(command: Command): string {
  return command.summary() || command.description();
}

function sectionsOf(command: Command): string[] {
  const isInner = command.parent?.parent !== null;
  return [
    `${isInner ? "###" : "##"} ${pathOf(command)}`,
    "",
    sentence(command.description()),
    "",
    "```",
    `${pathOf(command)} ${command.usage()}`.trim(),
    "```",
    "",
    ...rows(command.registeredArguments, argumentRow),
    ...rows(
      command
        .createHelp()
        .visibleOptions(command)
        .filter(({ long }) => long !== "--help"),
      optionRow,
    ),
    "```sh",
    ...examplesOf(command),
    "```",
    "",
    ...visible(command).flatMap(sectionsOf),
  ];
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

function rows<One>(all: readonly One[], row: (one: One) => string): string[] {
  return all.length === 0 ? [] : ["| | |", "|---|---|", ...all.map(row), ""];
}

function argumentRow(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return `| \`${argument.required ? `<${name}>` : `[${name}]`}\` | ${cell(argument.description)} |`;
}

function optionRow({ flags, description, mandatory, defaultValue }: Option): string {
  const usual = typeof defaultValue === "string" ? ` (default: ${defaultValue})` : "";
  return `| \`${flags}\` | ${cell(description)}${mandatory ? " (required)" : ""}${usual} |`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function examplesOf(command: Command): string[] {
  const examples = command instanceof LockstepCommand ? command.examples : [];
  return examples.flatMap(({ line, does }) => [`# ${does}`, line]);
}
