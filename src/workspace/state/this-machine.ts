import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { orDiskFault } from "../files/disk-fault.ts";
import { stateHome } from "./state-home.ts";

/** A machine that takes part in a shared ledger: this user on this host. */
export interface ThisMachine {
  readonly id: string;
  /** For people. */
  readonly name: string;
}

let known: ThisMachine | undefined;

/** The id is created once and kept in the user's state folder. */
export function thisMachine(): ThisMachine {
  known ??= { id: readId(join(stateHome(), "machine")), name: givenName() ?? hostname() };
  return known;
}

/** For containers, whose host names say nothing. */
function givenName(): string | undefined {
  const given = process.env.LOCKSTEP_MACHINE?.trim() ?? "";
  return /^[\w.-]{1,100}$/.test(given) ? given : undefined;
}

function readId(file: string): string {
  return orDiskFault("create", file, () => {
    for (;;) {
      try {
        const id = readFileSync(file, "utf8").trim();
        if (/^[0-9a-f]{16}$/.test(id)) return id;
        rmSync(file);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      }
      create(file);
    }
  });
}

/** Linked into place, so that of two processes that start at once one decides. */
function create(file: string): void {
  mkdirSync(stateHome(), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, `${randomBytes(8).toString("hex")}\n`, { mode: 0o600 });
  try {
    linkSync(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}
