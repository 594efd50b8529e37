import { runProcess } from "../../workspace/process/run-process.ts";
import type { Probe } from "../agent.ts";

/** A loaded machine takes long to start a client; one that hangs is rare. */
const msMax = 60_000;
const ownVariables = ["PATH", "HOME", "USER", "LANG", "TMPDIR"];

export interface Asked {
  /** Null if it was ended by the timeout. */
  readonly exit: number | null;
  readonly text: string;
}

/** Runs a client's program for a short question, outside the sandbox, with the same variables as agents. */
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

/** The version from `--version`, or why the program cannot be used. */
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
