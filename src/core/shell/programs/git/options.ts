import { type OptionSpec, type Options, optionReader } from "../../read-options.ts";
import type { Call, Effects, Program } from "../../types.ts";
import { asksForHelp } from "../row/words.ts";
import { gitOptions } from "./option-table.ts";

type Command = keyof typeof gitOptions;

const specs = new Map<Command, OptionSpec>();

/** A subcommand told by its options and operands, which are read as git reads them. */
export function gitReading(
  command: Command,
  spec: OptionSpec,
  tell: (options: Options, effects: Effects, call: Call) => void,
): Program {
  specs.set(command, spec);
  const read = optionReader({ ...spec, all: gitOptions[command] });
  return (call, effects) => {
    if (asksForHelp(call.args)) return;
    const options = read(call.args);
    // Wherever it stands, git prints how the subcommand is used and does nothing else.
    if (options.has("help", "help-all")) return;
    for (const spelled of options.unclear)
      effects.refuse("unparsed", `\`git ${command} ${spelled}\` fits several options: write the option out`);
    tell(options, effects, call);
  };
}

/** The long options of each subcommand that the guard knows by name. */
export function reliedOptions(): ReadonlyMap<string, readonly string[]> {
  const namesOf = ({ values, glued, flags }: OptionSpec) =>
    [values, glued, flags].flatMap((list) => (list ?? "").split(/[\s,]+/)).filter((name) => name.length > 1);
  return new Map([...specs].map(([command, spec]) => [command, namesOf(spec)]));
}
