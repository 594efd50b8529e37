import { faultLine } from "../../src/workspace/config/config-fault.ts";
import { loadConfig } from "../../src/workspace/config/load-config.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export const ownConfig = ".lockstep/config.yaml";

/** The faults of a project's configuration, as lines. */
export async function linesAt(root: string): Promise<string[]> {
  const loaded = await loadConfig(root);
  return "faults" in loaded ? loaded.faults.map(faultLine) : [];
}

/** The faults of a configuration with this text, without the file's name. */
export async function linesOf(text: string): Promise<string[]> {
  using folder = temporaryFolder({ [ownConfig]: text });
  return (await linesAt(folder.path)).map((line) => line.replace(`${ownConfig}:`, ""));
}

/** The configuration of a project with these files. */
export async function configOf(files: Readonly<Record<string, string>>) {
  using folder = temporaryFolder(files);
  const loaded = await loadConfig(folder.path);
  if ("faults" in loaded) throw new Error(loaded.faults.map(faultLine).join("\n"));
  return loaded.config;
}

/** Hooks without parameters, in the form of a configuration. */
export const hooksNamed = (...names: string[]) => names.map((name) => ({ name, parameters: null }));
