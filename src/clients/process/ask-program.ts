import { runProcess } from "../../workspace/process/run-process.ts";
import type { Probe } from "../agent.ts";

/** A loaded machine takes long to start a client; one that hangs is rare. */
const msMax = 60_000;
const ownVariables = ["PATH", "HOME", "USER", "LANG", "TMPDIR"];

export interface Asked {
  /** Null where it was ended because it took too long. */
  readonly exit: number | null;
  readonly text: string;
}

/** A short question to a client's program, outside of any walls, with the variables that agents get as well. */
export async function askProgram(
  command: readonly string[],
  {
    passes,
    env = {},
  }: { readonly passes: readonly string[]; readonly env?: Readonly<Record<string, string>> },
): Promise<Asked> {
  const own = [...ownVariables, ...passes].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  const asked = { ...Object.fromEntries(own), ...env };
  const { exit, tail } = await runProcess({ command, cwd: "/", env: asked, msMax });
  return { exit, text: tail };
}

/** What `--version` gave, or why nothing can be done with that program. */
export function readVersion(
  program: string,
  { exit, text }: Asked,
): { readonly version: string } | Extract<Probe, { usable: false }> {
  const [version] = /\d+\.\d+\.\d+[\w.+-]*/.exec(text) ?? [];
  if (exit === 0 && version !== undefined) return { version };
  const how =
    exit === null ? `does not answer within ${msMax / 1000} seconds` : `gives no version: ${text.trim()}`;
  return { usable: false, why: "broken", reason: `\`${program} --version\` ${how}; install it again` };
}
