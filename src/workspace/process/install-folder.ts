import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of this installation of Lockstep. */
export function installFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "bin", "lockstep.cjs"))) {
    const above = dirname(folder);
    if (above === folder) throw new Error("this installation of Lockstep is incomplete: install it again");
    folder = above;
  }
  return folder;
}
