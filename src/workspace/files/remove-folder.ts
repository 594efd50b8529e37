import { randomBytes } from "node:crypto";
import { chmodSync, lstatSync, readdirSync, renameSync, rmSync } from "node:fs";

/** Also removes read-only folders, which the caches of some tools contain, and folders that are nested too deep for a path. */
export function removeFolder(folder: string | Buffer): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["EACCES", "EPERM", "ENOTEMPTY", "ENAMETOOLONG"].includes(code)) throw error;
    open(Buffer.from(folder));
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** No path below a folder that is deleted has to be longer than its own by more than this, and one name. */
const depthBytesMax = 1_000;

/** Permits to delete what is in a folder, and moves to its top what lies deep below it. */
function open(top: Buffer): void {
  if (!lstatSync(top).isDirectory()) return;
  const inside = (folder: Buffer, name: Buffer) => Buffer.concat([folder, Buffer.from("/"), name]);
  chmodSync(top, 0o700);
  const folders = [top];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop())
    for (const entry of readdirSync(folder, { withFileTypes: true, encoding: "buffer" })) {
      if (!entry.isDirectory()) continue;
      const path = inside(folder, entry.name);
      chmodSync(path, 0o700);
      const isDeep = path.length > top.length + depthBytesMax;
      const near = isDeep ? inside(top, Buffer.from(`deep-${randomBytes(6).toString("hex")}`)) : path;
      if (isDeep) renameSync(path, near);
      folders.push(near);
    }
}
