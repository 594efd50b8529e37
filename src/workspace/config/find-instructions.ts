import { statSync } from "node:fs";
import { join } from "node:path";

/** The project's instructions for all agents. */
export const instructionsFile = ".github/copilot-instructions.md";

export function findInstructions(root: string): boolean {
  return statSync(join(root, instructionsFile), { throwIfNoEntry: false })?.isFile() === true;
}
