import { readFileSync } from "node:fs";
import { argv, exit, stderr, stdout } from "node:process";
import { field } from "../../core/values/fields.ts";
import { perform } from "./perform.ts";
import { readScript, type Script, ScriptFault } from "./read-script.ts";

/** `node main.ts script.yaml`, with the task on stdin: the agent of the adapter `script`. */

const [, , file = ""] = argv;
const script = load(file);
const input: unknown = JSON.parse(readFileSync(0, "utf8"));
const fixDelta = field(input, "fix_delta");
if (fixDelta !== undefined) stdout.write(`to fix: ${String(field(fixDelta, "reason"))}\n`);
perform(stepsOf(script, field(input, "attempt"))).then((code) => exit(code ?? 0));

function load(path: string): Script {
  try {
    return readScript(readFileSync(path, "utf8"));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!(error instanceof ScriptFault) && code === undefined) throw error;
    stderr.write(`${path}: ${message}\n`);
    return exit(2);
  }
}

function stepsOf(attempts: Script, attempt: unknown): Script[number] {
  const number = typeof attempt === "number" ? attempt : 1;
  return attempts[Math.max(0, Math.min(number, attempts.length) - 1)] ?? [];
}
