import { type ClientName, clientNames } from "../../contract/client-names.ts";
import { findBubblewrap } from "../../workspace/sandbox/find-bubblewrap.ts";
import { clientSetups } from "./client-setups.ts";
import { configuredHooks } from "./configured-hooks.ts";
import { SetupFault } from "./edits.ts";
import type { Machine } from "./find-clients.ts";
import { readSettings } from "./write-edits.ts";

/** A case in which `guard.opaque: sandbox` is set but has no effect. */
export interface SandboxGap {
  /** Null for all clients. */
  readonly client: ClientName | null;
  readonly why: string;
  readonly next: string;
}

const deny = "`guard.opaque: deny` refuses such commands instead";

/** Behaviour of clients that keeps their commands out of Lockstep's sandbox, if there is any. */
const ofClients: Readonly<Record<ClientName, Omit<SandboxGap, "client"> | null>> = {
  claude: null,
  codex: {
    why: "codex runs commands in its own sandbox, in which no other sandbox can start",
    next: `give codex full access, or ${deny}`,
  },
  gemini: null,
  opencode: null,
  copilot: null,
  cursor: {
    why: "cursor runs replaced commands only if it supports the hook `preToolUse`, which is untested",
    next: `check the first command, or ${deny}`,
  },
};

/**
 * For the clients with hooks here. In these cases, commands whose writes cannot be known run unchanged, and are
 * compared afterwards.
 */
export async function sandboxGaps(machine: Machine, opaque: string): Promise<readonly SandboxGap[]> {
  const hooked = opaque === "sandbox" ? clientNames.filter((name) => isHooked(name, machine)) : [];
  if (hooked.length === 0) return [];
  const found = await findBubblewrap({ platform: process.platform, path: machine.path });
  if ("missing" in found) return [{ client: null, why: found.missing, next: deny }];
  return hooked.flatMap((client) => {
    const gap = ofClients[client];
    return gap === null ? [] : [{ client, ...gap }];
  });
}

function isHooked(name: ClientName, { root, home }: Machine): boolean {
  const { personal, shared } = clientSetups[name].files;
  return [personal, shared].some((file) => {
    try {
      const text = file === null ? null : readSettings(file, { root, home, further: [] });
      return text !== null && configuredHooks(name, text) !== undefined;
    } catch (error) {
      if (error instanceof SetupFault) return false; // `lockstep doctor` reports it
      throw error;
    }
  });
}
