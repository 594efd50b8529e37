import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Writes a file so that whoever reads it finds the old text or the new one, also after a crash. */
export function replaceFile(path: string, text: string | Uint8Array): void {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    withDescriptor(temporary, "wx", (descriptor) => {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  // The name is part of the folder, and is safe only once that is.
  withDescriptor(dirname(path), "r", fsyncSync);
}

function withDescriptor(path: string, flags: string, use: (descriptor: number) => void): void {
  const descriptor = openSync(path, flags);
  try {
    use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
