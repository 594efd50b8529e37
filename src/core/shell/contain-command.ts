import { shellWord } from "../points/quoted.ts";
import type { Opaque } from "./types.ts";

/**
 * The command with everything that cannot be followed behind `prefix`, which starts a program in the sandbox: each
 * such program by itself, so that what is around it stays in the client's own shell, or the command as a whole where
 * the shell itself runs the unknown code.
 */
export function containCommand(command: string, opaque: readonly Opaque[], prefix: string): string {
  const places = opaque.map(({ at }) => at);
  if (places.includes(undefined)) return `${prefix} bash -c ${shellWord(command)}`;
  return [...new Set(places as readonly number[])]
    .sort((one, other) => other - one)
    .reduce((text, at) => `${text.slice(0, at)}${prefix} ${text.slice(at)}`, command);
}
