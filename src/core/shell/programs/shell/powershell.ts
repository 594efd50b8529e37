import { known, knownParts, literal, type Text, unknownText } from "../../text.ts";
import type { Action, Effects, Program } from "../../types.ts";
import { typedInto } from "../row/report-code.ts";
import { joined, named } from "../row/words.ts";

const codeOption = /^[-/](?:c|com|comm|comma|comman|command|commandwithargs|cwa)$/i;
const encodedOption = /^[-/](?:e|ec|en|enc|enco|encod|encode|encoded|encodedc\w*)$/i;
const fileOption = /^[-/](?:f|fi|fil|file)$/i;
const valueOption =
  /^[-/](?:ex|exec|executionpolicy|ep|of|outputformat|outp\w*|inputformat|inp\w*|if|wd|workingdirectory|w|windowstyle|version|v|psc\w*|configurationname|config|settingsfile|custompipename)$/i;

/** PowerShell is not followed. Only writes to paths that the code spells out are reported. */
const powershell: Program = (call, effects) => {
  const { args } = call;
  for (let at = 0; at < args.length; at++) {
    const word = known(args[at] ?? []) ?? "";
    if (encodedOption.test(word))
      return effects.refuse("unknown-code", "encoded code goes into PowerShell: write the code out");
    if (codeOption.test(word)) return reportPowerShell(joined(args.slice(at + 1)), effects);
    if (fileOption.test(word)) return runFile(args.slice(at + 1), effects);
    if (valueOption.test(word)) at++;
    else if (!/^[-/]/.test(word)) {
      const isFile = call.name === "pwsh" && /\.ps1$/i.test(word);
      return isFile ? runFile(args.slice(at), effects) : reportPowerShell(joined(args.slice(at)), effects);
    }
  }
  if (call.input.kind === "text") reportPowerShell(call.input.text, effects);
  else if (call.input.kind === "unknown")
    effects.refuse("unknown-code", "data of unknown content goes into a shell: write the commands out");
  else effects.opaque(call.input.kind === "file" ? "it runs a script" : typedInto);
};

function runFile(words: readonly Text[], effects: Effects): void {
  effects.opaque("it runs a script");
  for (const word of words.slice(1)) effects.operand(word);
}

/** PowerShell code, from a shell or from a client's PowerShell tool. */
function reportPowerShell(code: Text, effects: Effects): void {
  effects.code(code);
  effects.opaque("PowerShell is not followed");
  for (const { path, action, tree } of powerShellWrites(knownParts(code))) {
    effects.write(path === undefined ? unknownText : literal(path), action, { tree });
  }
}

interface PowerShellWrite {
  readonly path: string | undefined;
  readonly action: Action;
  readonly tree: boolean;
}

/** What a cmdlet or its alias does, and to which of its arguments. */
const cmdlets = new Map(
  (
    [
      ["write", "path", "set-content sc add-content ac clear-content clc out-file tee-object new-item ni"],
      ["write", "path", "export-csv export-clixml"],
      ["folder", "path", "md mkdir"],
      ["attributes", "path", "set-itemproperty"],
      ["delete", "path", "remove-item ri rm del erase rd rmdir"],
      ["move", "path", "rename-item ren"],
      ["move", "both", "move-item mi mv move"],
      ["write", "destination", "copy-item cp copy invoke-webrequest iwr expand-archive compress-archive"],
    ] as const
  ).flatMap(([action, from, names]) => names.split(" ").map((name) => [name, { action, from }] as const)),
);

const pathNames = /^-(?:p|pa|pat|path|lit\w*|filep\w*|pspath|lp)$/i;
const targetNames = /^-(?:d|de\w*|outf\w*|destinationpath)$/i;
const switches =
  /^-(?:force|recurse|r|fo|append|nonewline|passthru|confirm|whatif|verbose|noclobber|notypeinformation|raw)$/i;

/** The writes that code spells out. A computed target is undefined. */
function powerShellWrites(code: string): PowerShellWrite[] {
  return statementsOf(code).flatMap(statementWrites);
}

function statementWrites(words: readonly string[]): PowerShellWrite[] {
  const redirected = words.flatMap((word, at) => (/^[\d*]?>{1,2}$/.test(word) ? [words[at + 1]] : []));
  const writes = redirected
    .filter((path) => path !== undefined && !/^(?:&\d|\$null)$/i.test(path))
    .map((path): PowerShellWrite => ({ path: plain(path), action: "write", tree: false }));
  const cmdlet = cmdlets.get((words[0] ?? "").toLowerCase());
  if (cmdlet === undefined) return writes;
  const { paths, targets, rest } = argumentsOf(words.slice(1));
  const [first, second] = rest;
  const path = paths.length > 0 ? paths : first === undefined ? [] : [first];
  const target =
    targets.length > 0 ? targets : paths.length > 0 ? rest.slice(0, 1) : second === undefined ? [] : [second];
  const chosen =
    cmdlet.from === "path" ? path : cmdlet.from === "destination" ? target : [...path, ...target];
  const tree =
    cmdlet.action === "delete" || cmdlet.action === "move" || words.some((word) => /^-r/i.test(word));
  return [...writes, ...chosen.map((spelled) => ({ path: plain(spelled), action: cmdlet.action, tree }))];
}

function argumentsOf(words: readonly string[]): { paths: string[]; targets: string[]; rest: string[] } {
  const found = { paths: [] as string[], targets: [] as string[], rest: [] as string[] };
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    const value = words[at + 1] ?? "";
    if (switches.test(word)) continue;
    if (/^[\d*]?>{1,2}$/.test(word)) at++;
    else if (pathNames.test(word)) found.paths.push(...splitList(words[++at] ?? value));
    else if (targetNames.test(word)) found.targets.push(words[++at] ?? value);
    else if (/^-[A-Za-z]+$/.test(word)) at++;
    else found.rest.push(...splitList(word));
  }
  return found;
}

const splitList = (word: string): string[] => word.split(",").filter((part) => part !== "");

function plain(spelled: string | undefined): string | undefined {
  if (spelled === undefined || /[$`(){}\u{fffd}]/u.test(spelled)) return undefined;
  return spelled.replaceAll("\\", "/");
}

/** Words of each statement, without quotes. Separators are `;`, `|`, `&&`, braces and new lines. */
function statementsOf(code: string): string[][] {
  const statements: string[][] = [[]];
  for (const match of code.matchAll(
    /'((?:[^']|'')*)'|"((?:[^"`]|`.)*)"|([;|{}()\n]|&&)|(>{1,2})|([^\s'";|{}()>]+)/g,
  )) {
    if (match[3] !== undefined) statements.push([]);
    else statements.at(-1)?.push(match[1] ?? match[2] ?? match[4] ?? match[5] ?? "");
  }
  return statements.filter((words) => words.length > 0);
}

/** `cmd /c …` is similar enough to be read in the same way. */
const cmd: Program = (call, effects) => {
  const at = call.args.findIndex((word) => /^\/[ck]$/i.test(known(word) ?? ""));
  if (at < 0) return call.input.kind === "none" ? undefined : effects.opaque("commands from standard input");
  reportPowerShell(joined(call.args.slice(at + 1)), effects);
};

export const powershells = new Map<string, Program>([
  ...named("pwsh powershell pwsh-preview", powershell),
  ...named("cmd command.com", cmd),
]);
