import { runProcess } from "../process/run-process.ts";
import { gitProgram } from "../process/search-path.ts";
import { gitEnvironment, gitWords } from "./run-git.ts";

export interface RemoteRun {
  /** Null if git was ended because the time was over, or never ran. */
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}

const secondsUsual = 120;

/** How long one exchange with a remote may take: LOCKSTEP_REMOTE_SECONDS, for links that are slower than usual. */
export function remoteSeconds(): number {
  const given = Number(process.env.LOCKSTEP_REMOTE_SECONDS);
  return Number.isFinite(given) && given > 0 ? given : secondsUsual;
}

/**
 * Runs git with a remote, within a deadline and in a session of its own: git and its helpers cannot ask at the terminal,
 * and end together. The remote, its URL and the way to log in are those that the person has configured.
 */
export async function remoteGit(root: string, remote: string, words: readonly string[]): Promise<RemoteRun> {
  const out: Buffer[] = [];
  const errors: Buffer[] = [];
  // A clone made with `--mirror` would push all its refs.
  const command = [gitProgram(), ...gitWords(root, ["-c", `remote.${remote}.mirror=false`, ...words])];
  const { exit, timedOut, tail, outputBytes } = await runProcess({
    ...{ command, cwd: root, env: remoteEnvironment(), streams: "apart" },
    msMax: remoteSeconds() * 1000,
    onOutput: (chunk, from) => (from === "stdout" ? out : errors).push(chunk),
  });
  const stderr = exit === null && outputBytes === 0 ? tail : Buffer.concat(errors).toString("utf8");
  return { exit, timedOut, stdout: Buffer.concat(out).toString("utf8"), stderr };
}

/** The variables with which a person tells git how to log in; `gitEnvironment` drops them. */
const forLogin =
  /^GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|ASKPASS|PROXY_SSL_.*|SSL_.*|HTTP_.*|CONFIG_(?:COUNT|KEY_\d+|VALUE_\d+))$/;

function remoteEnvironment(): Record<string, string> {
  const given = Object.entries(process.env).filter(([name]) => forLogin.test(name));
  const all = { ...gitEnvironment(), ...Object.fromEntries(given) };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
