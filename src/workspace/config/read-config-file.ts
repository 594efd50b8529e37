import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type ConfigFault, wholeFileFault } from "./config-fault.ts";

const configBytesMax = 256 * 1024;

type ConfigFile = { readonly text: string } | { readonly fault: ConfigFault };

/** The text of a configuration file; undefined if it does not exist. */
export function readConfigFile(root: string, file: string): ConfigFile | undefined {
  return guardReading(file, () => {
    const folder = lstatSync(join(root, dirname(file)), { throwIfNoEntry: false });
    if (folder === undefined) return undefined;
    // A process that can write the target of a link could change the configuration.
    if (folder.isSymbolicLink())
      return wrong(file, `\`${dirname(file)}\` is a link`, "a folder of the project");
    return readText(join(root, file), { file, bytesMax: configBytesMax, flags: constants.O_NOFOLLOW });
  });
}

/** The text of a file that the user named, links followed; undefined if it does not exist. */
export function readNamedFile(
  path: string,
  { file, bytesMax }: { readonly file: string; readonly bytesMax: number },
): ConfigFile | undefined {
  return guardReading(file, () => readText(path, { file, bytesMax, flags: 0 }));
}

function wrong(file: string, problem: string, expected: string): { readonly fault: ConfigFault } {
  return { fault: wholeFileFault(file, problem, expected) };
}

function guardReading(file: string, read: () => ConfigFile | undefined): ConfigFile | undefined {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code === "ELOOP") return wrong(file, "it is a link", "the file itself");
    if (code === "ENOTDIR") return wrong(file, `\`${dirname(file)}\` is a file`, "a folder");
    return wrong(file, `it cannot be read (${code})`, "a file that you can read");
  }
}

interface Reading {
  readonly file: string;
  readonly bytesMax: number;
  readonly flags: number;
}

function readText(path: string, { file, bytesMax, flags }: Reading): ConfigFile {
  const bytes = readBounded(path, bytesMax, flags);
  if (bytes === "no file") return wrong(file, "it is not a regular file", "a YAML file");
  if (bytes === "too long")
    return wrong(file, `it is longer than ${bytesMax} bytes`, `at most ${bytesMax} bytes`);
  return isUtf8(bytes) ? { text: decode(bytes) } : { fault: notUtf8(file, bytes) };
}

/** Opens without blocking, because the path could be a named pipe. */
function readBounded(path: string, bytesMax: number, flags: number): Buffer | "no file" | "too long" {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | flags);
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile()) return "no file";
    if (found.size > bytesMax) return "too long";
    const bytes = readFileSync(descriptor);
    return bytes.length > bytesMax ? "too long" : bytes;
  } finally {
    closeSync(descriptor);
  }
}

/** A byte order mark at the start is dropped. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function notUtf8(file: string, bytes: Buffer): ConfigFault {
  for (let line = 1, start = 0; ; line += 1) {
    const end = bytes.indexOf("\n", start);
    const piece = bytes.subarray(start, end === -1 ? bytes.length : end);
    if (end === -1 || !isUtf8(piece)) {
      const column = decode(piece).indexOf("\ufffd") + 1;
      return { ...wholeFileFault(file, "a byte here is not UTF-8", "a file in UTF-8"), line, column };
    }
    start = end + 1;
  }
}
