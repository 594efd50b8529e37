import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

export interface InstalledClient {
  /** The folder of its program. */
  readonly bin: string;
  /** The reason why it could not be installed; its tests are skipped then. */
  readonly missing?: string;
}

const run = promisify(execFile);
const msMax = 10 * 60_000;
const unreachable = /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|npm ENOENT)\b/;

/** Installs a client from npm into a folder that later runs find again. */
export async function installClient(name: string, pack: string, version: string): Promise<InstalledClient> {
  const all = join(tmpdir(), "lockstep-clients");
  const folder = join(all, `${name}@${version}`);
  const bin = join(folder, "node_modules", ".bin");
  if (existsSync(folder)) return { bin };
  mkdirSync(all, { recursive: true });
  const making = mkdtempSync(join(all, ".making-"));
  try {
    writeFileSync(join(making, "package.json"), "{}\n");
    const words = [
      "install",
      "--no-audit",
      "--no-fund",
      "--loglevel=error",
      "--fetch-retries=1",
      `${pack}@${version}`,
    ];
    await run("npm", words, { cwd: making, timeout: msMax });
    // npm omits an optional package that it could not fetch, and a client's program is one.
    const program = join(making, "node_modules", ".bin", name);
    await run(program, ["--version"], { cwd: making, env: { ...process.env, HOME: making }, timeout: msMax });
    takeIts(making, folder);
    return { bin };
  } catch (error) {
    const why = (error as Error).message.split("\n").find((line) => unreachable.test(line));
    if (why === undefined) throw error;
    console.warn(`\n!!! THE TESTS OF ${name} ARE SKIPPED: ${pack}@${version} cannot be had: ${why}\n`);
    return { bin, missing: why };
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

/** Moves all or nothing; another run may have been faster. */
function takeIts(making: string, folder: string): void {
  try {
    renameSync(making, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}
