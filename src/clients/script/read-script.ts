import * as yaml from "yaml";
import { nearestName } from "../../core/names/nearest-name.ts";
import { quoted } from "../../core/text/quoted.ts";
import { field, isLine, isObject } from "../../core/values/fields.ts";
import { readPlainYaml } from "../../core/yaml/read-yaml.ts";

/** One action of a scripted agent. */
export type Step =
  | { readonly do: "say" | "delete" | "run" | "spawn"; readonly text: string }
  | { readonly do: "write" | "append"; readonly path: string; readonly text: string }
  | { readonly do: "link"; readonly path: string; readonly to: string }
  | { readonly do: "git"; readonly words: readonly string[] }
  | { readonly do: "sleep"; readonly seconds: number }
  | { readonly do: "usage" | "answer"; readonly value: unknown }
  | { readonly do: "exit"; readonly code: number }
  | { readonly do: "hang" }
  /** Without `times` it loops for ever. */
  | { readonly do: "loop"; readonly times: number; readonly steps: readonly Step[] };

/** The steps of each attempt. The last list is also used for all later attempts. */
export type Script = readonly (readonly Step[])[];

/** An error in a script, with its place. */
export class ScriptFault extends Error {
  override readonly name = "ScriptFault";
}

const bounds = { depthMax: 64, tokensMax: 200_000 };

/** Reads `steps`, or `attempts` with the steps of each. */
export function readScript(text: string): Script {
  const document = parseDocument(text);
  const [key, ...others] = isObject(document) ? Object.keys(document) : [];
  const value = key === undefined ? undefined : field(document, key);
  if (others.length > 0 || !Array.isArray(value) || value.length === 0)
    throw new ScriptFault("give a list of `steps`, or `attempts` with a list of steps for each");
  if (key === "steps") return [readSteps(value, "steps")];
  if (key === "attempts") return value.map((steps, at) => readSteps(steps, `attempts[${at}]`));
  throw new ScriptFault(`${quoted(key ?? "")} is not a key of a script: give \`steps\` or \`attempts\``);
}

function parseDocument(text: string): unknown {
  const read = readPlainYaml(yaml, text, bounds);
  if ("value" in read) return read.value;
  const { line, column, message } = read.fault;
  throw new ScriptFault(`it is not valid YAML: line ${line}, column ${column}: ${message}`);
}

function readSteps(value: unknown, at: string): readonly Step[] {
  if (!Array.isArray(value)) throw new ScriptFault(`${at} is not a list of steps`);
  return value.map((step, index) => readStep(step, `${at}[${index}]`));
}

function readStep(step: unknown, at: string): Step {
  if (step === "hang") return { do: "hang" };
  const [name, ...others] = isObject(step) ? Object.keys(step) : [];
  if (name === undefined || others.length > 0) throw new ScriptFault(`${at} is not one step`);
  if (!Object.hasOwn(readers, name)) {
    const near = nearestName(name, Object.keys(readers));
    const known = near === undefined ? Object.keys(readers).join(", ") : `did you mean \`${near}\`?`;
    throw new ScriptFault(`${at}: ${quoted(name)} is not a step: ${known}`);
  }
  const { wanted, read } = readers[name as keyof typeof readers];
  const found = read((step as Record<string, unknown>)[name], `${at}.${name}`);
  if (found === undefined) throw new ScriptFault(`${at}: \`${name}\` needs ${wanted}`);
  return found;
}

interface Reader {
  readonly wanted: string;
  readonly read: (value: unknown, at: string) => Step | undefined;
}

const isString = (value: unknown): value is string => typeof value === "string";
const isAmount = (value: unknown): value is number =>
  typeof value === "number" && value >= 0 && Number.isFinite(value);

const command = (name: "run" | "spawn"): Reader => ({
  wanted: "`{command}`, a line for the shell",
  read: (value) => {
    const text = field(value, "command");
    return isString(text) ? { do: name, text } : undefined;
  },
});

const file = (name: "write" | "append"): Reader => ({
  wanted: "`{path, text}`",
  read: (value) => {
    const [path, text] = [field(value, "path"), field(value, "text")];
    return isLine(path) && isString(text) ? { do: name, path, text } : undefined;
  },
});

const readers = {
  say: { wanted: "a text", read: (value) => (isString(value) ? { do: "say", text: value } : undefined) },
  write: file("write"),
  append: file("append"),
  delete: { wanted: "a path", read: (value) => (isLine(value) ? { do: "delete", text: value } : undefined) },
  run: command("run"),
  spawn: command("spawn"),
  link: {
    wanted: "`{path, to}`",
    read: (value) => {
      const [path, to] = [field(value, "path"), field(value, "to")];
      return isLine(path) && isLine(to) ? { do: "link", path, to } : undefined;
    },
  },
  git: {
    wanted: "a list of words",
    read: (value) =>
      Array.isArray(value) && value.every(isString) ? { do: "git", words: value } : undefined,
  },
  sleep: {
    wanted: "a number of seconds",
    read: (value) => (isAmount(value) ? { do: "sleep", seconds: value } : undefined),
  },
  usage: {
    wanted: "`{tokens}`, and `cost_usd` if it is known",
    read: (value) => (isAmount(field(value, "tokens")) ? { do: "usage", value } : undefined),
  },
  answer: {
    wanted: "an object, which is the answer",
    read: (value) => (isObject(value) ? { do: "answer", value } : undefined),
  },
  exit: {
    wanted: "a number from 0 to 255",
    read: (value) =>
      isAmount(value) && Number.isInteger(value) && value < 256 ? { do: "exit", code: value } : undefined,
  },
  hang: { wanted: "nothing", read: () => ({ do: "hang" }) },
  loop: {
    wanted: "`{steps}`, and `times` unless it loops for ever",
    read: (value, at) => {
      const times = field(value, "times") ?? Infinity;
      const steps = field(value, "steps");
      if (typeof times !== "number" || steps === undefined) return undefined;
      return { do: "loop", times, steps: readSteps(steps, `${at}.steps`) };
    },
  },
} as const satisfies Readonly<Record<string, Reader>>;
