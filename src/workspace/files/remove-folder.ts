import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";

/** Also what somebody made unwritable, so that nobody can leave a folder that stays for ever. */
export function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["EACCES", "EPERM", "ENOTEMPTY"].includes(code)) throw error;
    execFileSync("chmod", ["-R", "u+rwX", folder], { stdio: "pipe" });
    rmSync(folder, { recursive: true, force: true });
  }
}
