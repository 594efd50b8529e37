import { known, type Text } from "../text.ts";
import type { Program } from "../types.ts";
import { describe, mention } from "./row/describe.ts";
import { cargo as cargoCommands } from "./rows/packages.ts";

const runCargo = describe(cargoCommands);

/** `cargo +nightly fmt -- --check`: a toolchain may come first, and what `fmt` passes on is as good as its own. */
const cargo: Program = (call, effects) => {
  const hasToolchain = /^\+/.test(known(call.args[0] ?? []) ?? "");
  const args = hasToolchain ? call.args.slice(1) : call.args;
  runCargo({ ...call, args: args.some(isFmt) ? args.filter((word) => known(word) !== "--") : args }, effects);
};

const isFmt = (word: Text): boolean => known(word) === "fmt";

/** `nix develop -c command`, `nix run PACKAGE -- args`. */
const nix: Program = (call, effects) => {
  const at = call.args.findIndex((word) => /^(?:-c|--command)$/.test(known(word) ?? ""));
  effects.opaque("it builds an environment");
  if (at >= 0 && at + 1 < call.args.length) return effects.run(call.args.slice(at + 1));
  mention(call.args, effects);
};

export const packageManagers = new Map<string, Program>([
  ["cargo", cargo],
  ["cross", cargo],
  ["nix", nix],
]);
