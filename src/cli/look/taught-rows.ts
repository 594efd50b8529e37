import type { TaughtRow } from "../../core/shell/programs/row/taught.ts";
import { faultLine } from "../../workspace/config/config-fault.ts";
import { loadConfig } from "../../workspace/config/load-config.ts";
import { CommandFault } from "../output/command-fault.ts";

/** The rows of `guard.programs`, each with its position in the file. */
export async function taughtRows(root: string): Promise<readonly TaughtRow[]> {
  const loaded = await loadConfig(root);
  if ("faults" in loaded) throw new CommandFault("E-CONFIG", loaded.faults.map(faultLine).join("\n"));
  const { programs } = loaded.config.guard;
  if (programs.length === 0) return [];
  const { placesOfPrograms } = await import("../../workspace/config/judge-programs.ts");
  const places = placesOfPrograms(root);
  return programs.map((row, index) => ({ ...row, at: places[index] ?? "guard.programs" }));
}
