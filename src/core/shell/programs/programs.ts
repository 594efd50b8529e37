import type { Program } from "../types.ts";
import { agents } from "./agents/agents.ts";
import { kills } from "./agents/kill.ts";
import { gits } from "./git/git.ts";
import { programOf } from "./row/run-row.ts";
import { both } from "./row/words.ts";
import { builtInRows } from "./rows/all.ts";
import { languages } from "./rows/interpreters.ts";
import { finders } from "./shell/find.ts";
import { powershells } from "./shell/powershell.ts";
import { shellNames, shells } from "./shell/shells.ts";

/** Programs that need more than a row, by name. A test checks that no name occurs twice. */
export const codedPrograms: readonly ReadonlyMap<string, Program>[] = [
  powershells,
  finders,
  gits,
  shells,
  agents,
  kills,
];

const namesOf = (names: string): string[] => names.split(/\s+/).filter((name) => name !== "");

const programs: ReadonlyMap<string, Program> = new Map([
  ...builtInRows.flatMap((row) => {
    const names = namesOf(row.names);
    const program = programOf(row, `\`${names.slice(0, 3).join(" ")}\` (built in)`);
    return names.map((name) => [name, program] as const);
  }),
  ...codedPrograms.flatMap((map) => [...map]),
]);

const shellSet = new Set(shellNames.split(" "));
const interpreterSet = new Set([...powershells.keys(), ...languages.flatMap((row) => namesOf(row.names))]);

const otherLetters = programOf({
  opaque: "its name differs from a known one in upper and lower case",
  mentions: "outputs",
});

/** The description of a program, by its base name. */
export function findProgram(name: string): Program | undefined {
  const spelling = spellings(name).find((candidate) => programs.has(candidate));
  if (spelling !== undefined) return programs.get(spelling);
  const folded = programs.get(name.toLowerCase());
  return folded === undefined ? undefined : both(folded, otherLetters);
}

/** Whether a program runs shell code. */
export function isShell(name: string): boolean {
  return spellings(name).some((spelling) => shellSet.has(spelling));
}

/** Whether a program runs code of a language that is not followed. */
export function isInterpreter(name: string): boolean {
  return spellings(name).some((spelling) => interpreterSet.has(spelling));
}

const nameLengthMax = 64;
const gnuNames =
  /^g(?=(?:sed|tar|find|xargs|cp|mv|rm|ln|mkdir|rmdir|touch|tee|sort|uniq|split|csplit|dd|install|truncate|chmod|chown|chgrp|timeout|stdbuf|shuf|nice|nohup|env|make|cat|ls|head|tail|grep|egrep|date|stat|readlink|realpath|wc|cut|tr|base64|awk|time|shred|mktemp|unlink|link|patch|printf|echo|test)$)/;

/** The name as written, without `.exe`, without a version (`python3.12`, `gcc-13`), without GNU's `g`. */
function spellings(name: string): string[] {
  if (name.length > nameLengthMax) return [name];
  const bare = name.replace(/\.(?:exe|cmd|bat|com)$/i, "");
  return [name, bare, bare.replace(gnuNames, ""), bare.replace(/-?\d[\d.]*$/, "")];
}
