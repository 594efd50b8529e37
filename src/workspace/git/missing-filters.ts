import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { settingsIn } from "./known-settings.ts";
import { splitAtZero } from "./read-diff.ts";
import { git, gitBytes } from "./run-git.ts";

export interface MissingFilter {
  /** As in `filter=lfs`. */
  readonly name: string;
  readonly program: string;
  /** A file that needs the filter. */
  readonly file: string;
}

const settingForm = /^filter\.(.*)\.(clean|smudge|process|required)\n(.*)$/s;
/** Other commands are for a shell, and the program that they start is unknown. */
const programForm = /^([\w.+-]+)(?=\s|$)/;

/** Required filters of tracked files whose program is not installed. Git refuses to check out these files. */
export async function missingFilters(root: string, path: string): Promise<readonly MissingFilter[]> {
  const filters = new Map<string, Map<string, string>>();
  for (const setting of await settingsIn(root)) {
    const [, name, key, value] = settingForm.exec(setting) ?? [];
    if (name === undefined || key === undefined) continue;
    filters.set(name, (filters.get(name) ?? new Map()).set(key, value ?? ""));
  }
  const missing: MissingFilter[] = [];
  for (const [name, settings] of filters) {
    if (!/^(?:true|yes|on|1)$/i.test(settings.get("required") ?? "")) continue;
    const command = settings.get("process") || settings.get("smudge") || "";
    const [program] = programForm.exec(command) ?? [];
    if (program === undefined || (await isInstalled(root, program, path))) continue;
    const [file] = splitAtZero(await gitBytes(root, ["ls-files", "-z", "--", `:(top,attr:filter=${name})`]));
    if (file !== undefined) missing.push({ name, program, file: String(file) });
  }
  return missing;
}

/** Git searches its own programs before PATH. */
async function isInstalled(root: string, program: string, path: string): Promise<boolean> {
  const folders = [await git(root, ["--exec-path"]), ...path.split(delimiter)];
  return folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false; // missing or not executable
    }
  });
}

export function missingFilterText({ name, program, file }: MissingFilter): string {
  return `\`${file}\` needs git's filter \`${name}\`, whose program \`${program}\` is not installed`;
}

export function missingFilterFix({ name, program }: MissingFilter): string {
  return `install ${program}, or run \`git config filter.${name}.required false\` to use such files unfiltered`;
}
