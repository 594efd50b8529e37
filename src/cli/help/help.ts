import type { Command } from "commander";
import { nearestName } from "../../core/names/nearest-name.ts";
import { deny } from "../../core/rules/verdict.ts";
import { writeAll } from "../output/descriptor.ts";
import { tellRefusal } from "../output/verdicts.ts";
import { plainMarkdown } from "./plain-markdown.ts";
import { type TopicName, topics, topicText } from "./topics.ts";

/** Maximum line length, for readability. */
const widthMax = 100;

/** `lockstep help`, `lockstep help TOPIC`, `lockstep help task add`. */
export function helpCommand(program: Command, names: readonly string[]): number {
  const [first = ""] = names;
  if (names.length === 1 && Object.hasOwn(topics, first)) {
    const width = Math.min(process.stdout.columns ?? 80, widthMax);
    writeAll(1, plainMarkdown(topicText(first as TopicName), width));
    return 0;
  }
  let command = program;
  for (const name of names) {
    const known = command.createHelp().visibleCommands(command);
    const next = known.find((one) => one.name() === name);
    if (next === undefined)
      return refuse(
        command,
        name,
        known.map((one) => one.name()),
      );
    command = next;
  }
  command.outputHelp();
  return 0;
}

function refuse(command: Command, name: string, commands: readonly string[]): number {
  const isFirst = command.parent === null;
  const nearest = nearestName(name, isFirst ? [...commands, ...Object.keys(topics)] : commands);
  const problem = isFirst
    ? `there is no command or topic \`${name}\``
    : `\`${command.name()}\` has no subcommand \`${name}\``;
  const list = isFirst ? "lockstep help" : `lockstep help ${command.name()}`;
  const hint = nearest === undefined ? `see \`${list}\`` : `did you mean \`${nearest}\`?`;
  return tellRefusal(deny("R-IN-001", `${problem}: ${hint}`), false);
}
