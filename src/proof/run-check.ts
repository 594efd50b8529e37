import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { maskSecrets } from "../core/secrets/mask-secrets.ts";
import type { Evidence } from "../core/tasks/evidence.ts";
import type { Project } from "../workspace/find-project.ts";

const run = promisify(execFile);
const checkMsMax = 15 * 60_000;
const tailBytesMax = 4096;
const drainMs = 500;

interface Check {
  readonly commit: string;
  readonly command: string;
  readonly msMax?: number;
}

/** Runs a command on the exact tree of a commit, in a clean checkout of its own that is removed afterwards. */
export async function runCheck(
  { place, commonFolder }: Project,
  { commit, command, msMax = checkMsMax }: Check,
): Promise<Evidence | { readonly error: string }> {
  if (commonFolder === undefined) return { error: "there is no git repository to take the commit from" };
  if (!/^[0-9a-fA-F]{4,64}$/.test(commit)) return { error: `\`${commit}\` is no commit id` };
  const folder = mkdtempSync(join(tmpdir(), "lockstep-check-"));
  try {
    const tree = await checkOut(place.root, folder, commit);
    return typeof tree === "string" ? await runIn(folder, { command, tree, msMax }) : tree;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The tree's id, or why there is no such commit. */
async function checkOut(root: string, folder: string, commit: string): Promise<string | { error: string }> {
  const git = async (...words: string[]) =>
    (await run("git", ["-c", "core.hooksPath=/dev/null", ...words])).stdout.trim();
  try {
    const sha = await git("-C", root, "rev-parse", "--verify", "--end-of-options", `${commit}^{commit}`);
    await git("clone", "--quiet", "--shared", "--no-checkout", root, folder);
    await git("-C", folder, "checkout", "--quiet", "--detach", sha);
    return await git("-C", folder, "rev-parse", "HEAD^{tree}");
  } catch (error) {
    const [first = "git failed"] = ((error as { stderr?: string }).stderr ?? String(error))
      .trim()
      .split("\n");
    return { error: `commit \`${commit}\` cannot be checked out: ${first}` };
  }
}

async function runIn(
  folder: string,
  { command, tree, msMax }: { command: string; tree: string; msMax: number },
): Promise<Evidence> {
  const started = process.hrtime.bigint();
  const child = spawn("sh", ["-c", command], {
    cwd: folder,
    env: checkEnvironment(),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const hash = createHash("sha256");
  let tail = Buffer.alloc(0);
  const keep = (chunk: Buffer) => {
    hash.update(chunk);
    tail = Buffer.concat([tail, chunk]).subarray(-tailBytesMax);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const timer = setTimeout(() => endGroup(child.pid), msMax);
  const exit = await new Promise<number | null>((resolve) => {
    child.on("error", () => resolve(null));
    child.on("close", (code) => resolve(code));
    // What outlives it in a session of its own may hold its output open for ever.
    child.on("exit", (code) => setTimeout(() => resolve(code), drainMs));
  });
  clearTimeout(timer);
  child.stdout.destroy();
  child.stderr.destroy();
  endGroup(child.pid);
  return {
    command,
    tree,
    exit,
    seconds: Number((process.hrtime.bigint() - started) / 1_000_000n) / 1000,
    digest: `sha256:${hash.digest("hex")}`,
    tail: await maskSecrets(tail.toString("utf8")),
  };
}

/** Whatever the command left running in its group goes with it. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function checkEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, LANG, TMPDIR } = process.env;
  return Object.fromEntries(
    Object.entries({ PATH, HOME, LANG, TMPDIR, CI: "true" }).filter(([, value]) => value !== undefined),
  );
}
