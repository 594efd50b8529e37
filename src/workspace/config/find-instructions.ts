import { statSync } from "node:fs";
import { join } from "node:path";

/** What a project says to all agents (S4-073). */
export const instructionsFile = ".github/copilot-instructions.md";

/** Whether the project has instructions for agents. */
export function findInstructions(root: string): boolean {
  return statSync(join(root, instructionsFile), { throwIfNoEntry: false })?.isFile() === true;
}
