import { isIdle, isIdleScript, scriptOf } from "../../../core/proof/idle-command.ts";
import { readObject } from "../../../workspace/git/object-reader.ts";

/** Whether a check only prints something or does nothing, directly or by a script of the commit's package.json. */
export async function isIdleCheck(root: string, commit: string, command: string): Promise<boolean> {
  if (isIdle(command)) return true;
  const script = scriptOf(command);
  if (script === undefined) return false;
  const manifest = await readObject(root, `${commit}:package.json`);
  return manifest !== undefined && isIdleScript(manifest.bytes.toString("utf8"), script);
}
