import { chmodSync, lstatSync, readdirSync, rmSync } from "node:fs";

/** Also removes read-only folders, which the caches of some tools contain. */
export function removeFolder(folder: string | Buffer): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["EACCES", "EPERM", "ENOTEMPTY"].includes(code)) throw error;
    open(Buffer.from(folder));
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function open(path: Buffer): void {
  if (!lstatSync(path).isDirectory()) return;
  chmodSync(path, 0o700);
  for (const entry of readdirSync(path, { withFileTypes: true, encoding: "buffer" }))
    if (entry.isDirectory()) open(Buffer.concat([path, Buffer.from("/"), entry.name]));
}
