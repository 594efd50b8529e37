import { isUtf8 } from "node:buffer";
import { readObject } from "../git/object-reader.ts";
import { wholeFileFault } from "./config-fault.ts";
import { configFiles, type LoadedConfig, loadConfigFrom } from "./load-config.ts";

/** The configuration in a commit, whatever the files of the checkout are. */
export async function loadConfigAt(root: string, commit: string): Promise<LoadedConfig> {
  const files = new Map(
    await Promise.all(configFiles.map(async (file) => [file, await readAt(root, commit, file)] as const)),
  );
  return loadConfigFrom((file) => files.get(file));
}

/** Which configuration a commit has. Commits with the same have the same text. */
export async function configIdAt(root: string, commit: string): Promise<string> {
  const found = await Promise.all(configFiles.map((file) => readObject(root, `${commit}:${file}`)));
  return found.map((object) => object?.id ?? "none").join(" ");
}

async function readAt(root: string, commit: string, file: string) {
  const object = await readObject(root, `${commit}:${file}`);
  if (object === undefined) return undefined;
  if (object.type === "blob" && isUtf8(object.bytes)) return { text: object.bytes.toString("utf8") };
  return { fault: wholeFileFault(file, "it is not a text file", "a YAML file") };
}
