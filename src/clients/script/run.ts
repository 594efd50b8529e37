import { existsSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { quoted } from "../../core/text/quoted.ts";
import type { AgentClient, Probe } from "../agent.ts";
import { commandAgent } from "../command/run.ts";
import { readScript, ScriptFault } from "./read-script.ts";

export interface ScriptAgent {
  /** The YAML file, from the project's root. */
  readonly script: string;
  readonly root: string;
}

/** An agent that performs the steps in a file, in a process of its own. For demonstrations and tests. */
export function scriptAgent({ script, root }: ScriptAgent): AgentClient {
  const file = resolve(root, script);
  const { passes, probe, start } = commandAgent({ run: [process.execPath, ownProgram(), file], root });
  return { passes, probe: async () => findFault(file) ?? probe(), start };
}

/** In the source tree next to this file; in a build next to `main.cjs`. */
export function ownProgram(): string {
  const places = ["./main.ts", "./script-agent.cjs"];
  const found = places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find(existsSync);
  if (found === undefined) throw new Error("the program of script agents is missing: install Lockstep again");
  return found;
}

function findFault(file: string): Probe | undefined {
  if (!existsSync(file) || !statSync(file).isFile())
    return {
      usable: false,
      why: "missing",
      reason: `the script ${quoted(file)} is missing: write one, and name it with \`run: [agents/steps.yaml]\``,
    };
  try {
    readScript(readFileSync(file, "utf8"));
    return undefined;
  } catch (error) {
    if (!(error instanceof ScriptFault)) throw error;
    return { usable: false, why: "broken", reason: `${quoted(file)}: ${error.message}` };
  }
}
