import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { CommandFault } from "./command-fault.ts";
import { defaultPlan } from "./default-plan.ts";
import { inRepository } from "./in-repository.ts";
import type { RunOptions } from "./run-options.ts";
import { runPlan } from "./run-plan.ts";

interface PlanOptions extends RunOptions {
  readonly again?: boolean;
}

/** Exit 0 everything merged, 1 something failed, 3 a person has to decide or it was stopped. */
export function runCommand(file: string | undefined, options: PlanOptions): Promise<number> {
  return inRepository("run", options, async (context) => {
    if (options.json === true && options.jsonLines === true)
      throw new CommandFault("R-IN-001", "--json and --json-lines exclude each other: give one of them");
    const name = file ?? (await defaultPlan(context.engine, context.repository.root));
    // From where the person is; else from the root, as the default has it.
    const path = [resolve(name), join(context.repository.root, name)].find(existsSync);
    if (path === undefined)
      throw new CommandFault("E-PLAN", `there is no plan \`${name}\`: write one, or name another`);
    const goOn = () => `lockstep run${file === undefined ? "" : ` ${file}`}`;
    return runPlan(context, { file: path, again: options.again === true, options, goOn });
  });
}
