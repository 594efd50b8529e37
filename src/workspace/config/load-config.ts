import type { Config } from "../../contract/config.ts";
import { defaultConfig } from "../../contract/default-config.ts";
import { type ConfigFault, wholeFileFault } from "./config-fault.ts";
import { readConfigFile } from "./read-config-file.ts";

const ownFile = ".lockstep/config.yaml";
const misnamedFile = ".lockstep/config.yml";
const borrowedFile = ".octopoid/config.yaml";

const faultsMax = 20;

/** The files that a configuration is read from. */
export const configFiles = [ownFile, misnamedFile, borrowedFile] as const;

export type LoadedConfig = { readonly config: Config } | { readonly faults: readonly ConfigFault[] };

/** The configuration of the project at a root. Without a file, the parser and the schemas are not loaded. */
export async function loadConfig(root: string): Promise<LoadedConfig> {
  return loadConfigFrom((file) => readConfigFile(root, file));
}

/** The configuration from the texts of its files. */
export async function loadConfigFrom(read: ReadFile): Promise<LoadedConfig> {
  const loaded = await loadFiles(read);
  return "faults" in loaded ? { faults: loaded.faults.slice(0, faultsMax) } : loaded;
}

type ReadFile = (file: (typeof configFiles)[number]) => ReturnType<typeof readConfigFile>;

async function loadFiles(read: ReadFile): Promise<LoadedConfig> {
  const own = read(ownFile);
  if (own === undefined && read(misnamedFile) !== undefined)
    return { faults: [wholeFileFault(misnamedFile, "this file is not read", `the name \`${ownFile}\``)] };
  const borrowed = read(borrowedFile);
  if (own === undefined && borrowed === undefined) return { config: structuredClone(defaultConfig) };
  if (own !== undefined && "fault" in own) return { faults: [own.fault] };

  const { borrowedKeys, judgeBorrowed, judgeConfig } = await import("./judge-config.ts");
  const judged = judgeConfig({ file: ownFile, text: own?.text ?? "" });
  if ("faults" in judged) return judged;
  const { config, keys } = judged;
  if (own !== undefined && config.guard.programs.length > 0) {
    const { judgePrograms } = await import("./judge-programs.ts");
    const faults = judgePrograms({ file: ownFile, text: own.text }, config);
    if (faults.length > 0) return { faults };
  }
  const wanted = borrowedKeys.filter((key) => !keys.includes(key));
  if (borrowed === undefined || wanted.length === 0) return { config };
  if ("fault" in borrowed) return { faults: [borrowed.fault] };
  const more = judgeBorrowed({ file: borrowedFile, text: borrowed.text }, { wanted, config });
  return "faults" in more ? more : { config: { ...config, ...more.borrowed } };
}
