import { type OptionSpec, type Options, optionReader } from "../../read-options.ts";
import { known } from "../../text.ts";
import type { Call, Effects, Program } from "../../types.ts";
import { asksForHelp, readsOnly } from "./words.ts";

export { programOf as describe } from "./run-row.ts";
export * from "./words.ts";
export function bySubcommand(
  spec: OptionSpec,
  commands: ReadonlyMap<string, Program>,
  otherwise: Program,
): Program {
  const read = optionReader({ ...spec, wrapper: true });
  return (call, effects) => {
    const { operands } = read(call.args);
    const name = known(operands[0] ?? []) ?? "";
    const inner: Call = { name, args: operands.slice(1), input: call.input };
    const command = operands[0] === undefined ? readsOnly : commands.get(name);
    (command ?? otherwise)(command === undefined ? call : inner, effects);
  };
}
export function reading(
  spec: OptionSpec,
  tell: (options: Options, effects: Effects, call: Call) => void,
): Program {
  const read = optionReader(spec);
  return (call, effects) => {
    if (!asksForHelp(call.args)) tell(read(call.args), effects, call);
  };
}
