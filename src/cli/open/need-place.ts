import { currentFolder, findProject } from "../../workspace/files/find-project.ts";
import { findRepository } from "../../workspace/git/repository-state.ts";
import { hasLedger } from "../../workspace/state/has-ledger.ts";
import { CommandFault } from "../output/command-fault.ts";

/** Refuses a folder that is neither in a git repository nor has a ledger: there is nothing to read. */
export async function needPlace(): Promise<void> {
  if (process.env.LOCKSTEP_SOCKET) return;
  const project = findProject(currentFolder());
  if (hasLedger(project)) return;
  const found = await findRepository(project);
  if ("error" in found) throw new CommandFault("R-IN-001", found.error);
}
