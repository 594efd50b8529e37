import type { OptionSpec } from "../../read-options.ts";
import type { Program } from "../../types.ts";
import type { Deed, Hook } from "../row/row.ts";
import { specOf } from "../row/row-options.ts";
import { programOf } from "../row/run-row.ts";
import { gitOptions } from "./option-table.ts";

type Command = keyof typeof gitOptions;

const deeds = new Map<Command, Deed>();

/** A subcommand whose options are parsed like git does. */
export function gitCommand(command: Command, deed: Deed): Program {
  deeds.set(command, deed);
  return programOf({ ...deed, all: gitOptions[command] });
}

export function gitReading(command: Command, spec: OptionSpec, also: Hook): Program {
  return gitCommand(command, { ...spec, also });
}

/** The long options of each subcommand that the guard refers to by name. */
export function reliedOptions(): ReadonlyMap<string, readonly string[]> {
  const namesOf = ({ values, glued, flags }: OptionSpec) =>
    [values, glued, flags].flatMap((list) => (list ?? "").split(/[\s,]+/)).filter((name) => name.length > 1);
  return new Map([...deeds].map(([command, deed]) => [command, namesOf(specOf(deed))]));
}
