import { shellWord } from "../../core/text/quoted.ts";
import { isObject, isStringList } from "../../core/values/fields.ts";
import { wordsOf } from "./tool-names.ts";

/** A text in a tool's input, at any depth, and its role according to its key. */
export interface Argument {
  /** Empty if the whole input is a text. */
  readonly key: string;
  readonly text: string;
  readonly role: Role;
}

/** `name` is a key that could itself be a path, as in a map from files to contents. */
type Role = "path" | "command" | "folder" | "content" | "name" | "other";

const depthMax = 64;

/** Every text in the input; undefined if it is nested too deep. */
export function argumentsIn(input: unknown): readonly Argument[] | undefined {
  const found: Argument[] = [];
  const whole = decoded(input);
  return collect({ key: "", value: whole, depth: 0 }, found) ? found : undefined;
}

/** Parses an input that is JSON in a text, which some clients send. */
export function decoded(input: unknown): unknown {
  if (typeof input !== "string" || !input.trimStart().startsWith("{")) return input;
  try {
    return JSON.parse(input);
  } catch (error) {
    if (error instanceof SyntaxError) return input;
    throw error;
  }
}

interface Spot {
  readonly key: string;
  readonly value: unknown;
  readonly depth: number;
}

function collect({ key, value, depth }: Spot, found: Argument[]): boolean {
  if (depth > depthMax) return false;
  if (typeof value === "string") found.push({ key, text: value, role: roleOf(key, value) });
  else if (Array.isArray(value)) {
    const isCommand = key === "" || (isCommandKey(key) && !/s$/i.test(key));
    const words = isCommand && isStringList(value) ? value : undefined;
    if (words !== undefined) found.push({ key, text: words.map(shellWord).join(" "), role: "command" });
    else return value.every((item) => collect({ key, value: item, depth: depth + 1 }, found));
  } else if (isObject(value)) {
    return Object.entries(withWholeCommand(value)).every(([name, item]) => {
      if (/[./\\]/.test(name)) found.push({ key: name, text: name, role: "name" });
      return collect({ key: name, value: item, depth: depth + 1 }, found);
    });
  }
  return true;
}

const programKeys = ["command", "cmd", "program", "executable", "binary"];
const wordKeys = ["args", "arguments", "argv", "params", "parameters"];

/** `{command: "rm", args: ["-r", "x"]}` is one command. */
function withWholeCommand(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const program = programKeys.find((key) => typeof value[key] === "string");
  const given = wordKeys.find((key) => isStringList(value[key]) || typeof value[key] === "string");
  if (program === undefined || given === undefined) return value;
  const { [program]: name, [given]: words, ...rest } = value;
  const line = isStringList(words) ? words.map(shellWord).join(" ") : words;
  return { ...rest, command: `${name} ${line}` };
}

const commandKeys = new Set(["input", "chars", "commandline", "bash"]);

function isCommandKey(key: string): boolean {
  const last = wordsOf(key).at(-1) ?? "";
  return (
    commandKeys.has(key.replace(/[^A-Za-z0-9]/g, "").toLowerCase()) || /^(?:command|cmd|script)s?$/.test(last)
  );
}

const folderKeys = new Set("cwd workdir workingdirectory dirpath".split(" "));
const pathWords = new Set(
  `path paths file files filename filenames filepath filepaths dir dirs directory directories folder folders dirpath
    notebook`.split(/\s+/),
);
/** Words that mean a path only if the value looks like one. */
const maybePaths = new Set("target destination dest dst source src output location uri".split(" "));
const contentWords = new Set(
  `content contents body code sql statement statements data patch diff blob payload replacement mutation
    html`.split(/\s+/),
);
const contentKeys = new Set(
  "filetext newstring newstr newsource codeedit patchtext replace oldstring oldstr".split(" "),
);

function roleOf(key: string, text: string): Role {
  const plain = key.replace(/[^A-Za-z0-9]/g, "").toLowerCase();
  if (isCommandKey(key)) return "command";
  if (folderKeys.has(plain)) return "folder";
  if (contentKeys.has(plain)) return "content";
  const words = wordsOf(key);
  const last = words.at(-1) ?? "";
  const isUrl = /^[a-z][\w+.-]+:\/\//i.test(text) && !/^file:/i.test(text);
  if (pathWords.has(last) || pathWords.has(words.slice(-2).join(""))) return isUrl ? "other" : "path";
  if (words.some((word) => contentWords.has(word))) return "content";
  if (isUrl) return "other";
  if (/^file:/i.test(text)) return "path";
  return maybePaths.has(last) && /^\S+$/.test(text) && /[./\\]/.test(text) ? "path" : "other";
}
