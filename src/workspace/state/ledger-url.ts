import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../contract/config.ts";
import { readDatabaseUrl } from "../../core/values/database-url.ts";
import type { Project } from "../files/find-project.ts";
import { replaceFile } from "../files/replace-file.ts";
import { stateFolder } from "./state-folder.ts";

/** The file in the state folder that tells hooks, which do not read the configuration, where the ledger is. */
const fileName = "ledger-url";

/** LOCKSTEP_LEDGER_URL is not the URL of a database. Its value may hold a password, so it is not shown. */
class LedgerUrlFault extends Error {
  override readonly name = "LedgerUrlFault";
  readonly code = "E-CONFIG";
}

function fromEnvironment(): string | undefined {
  const url = process.env.LOCKSTEP_LEDGER_URL || undefined;
  if (url === undefined || readDatabaseUrl(url) !== undefined) return url;
  throw new LedgerUrlFault(
    "LOCKSTEP_LEDGER_URL is not the URL of a database: set it to postgres://USER@HOST/DATABASE, with special characters of a password percent-encoded, or unset it",
  );
}

/** The URL of the ledger that the project shares with other machines. The environment comes before the configuration. */
export function ledgerUrl({
  ledger,
}: {
  readonly ledger: { readonly url: string | null };
}): string | undefined {
  return fromEnvironment() ?? ledger.url ?? undefined;
}

/** The same, for a process that does not read the configuration. */
export function knownLedgerUrl(project: Project): string | undefined {
  const given = fromEnvironment();
  if (given !== undefined) return given;
  try {
    return readFileSync(join(stateFolder(project), fileName), "utf8").trim() || undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Which ledger that is, without user and password; null for the one of this machine. */
export function ledgerName(url: string | undefined): string | null {
  if (url === undefined) return null;
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

/** Agents and checks get nothing that opens a shared ledger, even if the configuration passes it on. */
export function withoutLedgerAccess(config: Config): Config {
  const { workspace } = config;
  if (ledgerUrl(config) === undefined) return config;
  const opens = /^(?:PG[A-Z]+|LOCKSTEP_LEDGER_URL)$/;
  return {
    ...config,
    workspace: {
      ...workspace,
      env_pass: workspace.env_pass.filter((name) => !opens.test(name)),
      home: workspace.home.filter((path) => !/^(?:\.\/+)*\.(?:pgpass|pg_service|postgresql)/.test(path)),
    },
  };
}

/** The password is not kept: PGPASSWORD and ~/.pgpass hold it. */
export function keepLedgerUrl(folder: string, url: string | undefined): void {
  const file = join(folder, fileName);
  if (url === undefined) {
    rmSync(file, { force: true });
    return;
  }
  const line = `${readDatabaseUrl(url)?.bare}\n`;
  if (readIfThere(file) !== line) replaceFile(file, line);
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined; // it is written then
  }
}
