import { CommanderError, Option } from "commander";
import manifest from "../../../package.json" with { type: "json" };
import { LockstepCommand } from "../help/lockstep-command.ts";
import { topics } from "../help/topics.ts";
import { writeAll } from "../output/descriptor.ts";
import { addProgramCommands } from "./commands-for-programs.ts";
import { addEverydayCommands } from "./everyday-commands.ts";
import { addGuardCommands } from "./guard-commands.ts";
import { addMachineCommands } from "./machine-commands.ts";
import { addMaintenance } from "./maintenance-commands.ts";
import { addTaskCommands } from "./task-commands.ts";

/**
 * Every command with its options and examples. The code of a command is loaded when it is called. `configure` is applied
 * before the commands are added, so that all of them inherit its settings.
 */
export function lockstepProgram(configure: (bare: LockstepCommand) => void = () => {}): LockstepCommand {
  const program = new LockstepCommand("lockstep")
    .description(
      "Runs coding agents on one git repository, and merges only work that stays inside its lock and is proven",
    )
    .version(manifest.version, "-v, --version", "print the version")
    .addOption(new Option("-V").hideHelp())
    .on("option:V", printVersion)
    .option("--debug", "show stack traces")
    .helpOption("-h, --help", "print this help")
    // Commands with subcommands inherit it; the program has a command of its own for it.
    .helpCommand("help [command]", "print the help of a subcommand")
    .helpCommand(false)
    .configureHelp({ subcommandTerm: (command) => command.name() });
  configure(program);
  const groups = [
    ["Everyday:", addEverydayCommands],
    ["Look into a task:", addTaskCommands],
    ["Guard interactive sessions:", addGuardCommands],
    ["Several machines:", addMachineCommands],
    ["Maintenance:", addMaintenance],
    ["For other programs:", addProgramCommands],
  ] as const;
  for (const [heading, add] of groups) {
    program.commandsGroup(heading);
    add(program);
  }
  return program.addHelpText("after", () => `\nTopics (lockstep help TOPIC):\n${topicLines()}`);
}

function topicLines(): string {
  const width = Math.max(...Object.keys(topics).map((name) => name.length));
  return Object.entries(topics)
    .map(([name, about]) => `  ${name.padEnd(width)}  ${about}`)
    .join("\n");
}

/** As commander does for `--version`. */
function printVersion(): never {
  writeAll(1, `${manifest.version}\n`);
  throw new CommanderError(0, "commander.version", manifest.version);
}
