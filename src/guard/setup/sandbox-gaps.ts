import { findBubblewrap } from "../../workspace/sandbox/find-bubblewrap.ts";
import { type ClientName, clientNames, clientSetups } from "./client-setups.ts";
import { configuredHooks } from "./configured-hooks.ts";
import { SetupFault } from "./edits.ts";
import type { Machine } from "./find-clients.ts";
import { readSettings } from "./write-edits.ts";

/** Where `guard.opaque: sandbox` does not hold, though it is set. */
export interface SandboxGap {
  /** Null for all clients. */
  readonly client: ClientName | null;
  readonly why: string;
  readonly next: string;
}

const deny = "`guard.opaque: deny` refuses such commands instead";

/** What a client does that keeps its commands out of our sandbox. */
const ofClients: Partial<Record<ClientName, Omit<SandboxGap, "client">>> = {
  codex: {
    why: "codex has a sandbox of its own around commands, which allows no other one inside",
    next: `give codex full access, or ${deny}`,
  },
  cursor: {
    why: "cursor runs changed commands only where it knows the hook `preToolUse`, which was not tried",
    next: `watch the first command, or ${deny}`,
  },
};

/** Of the clients that have hooks here: commands whose writes cannot be known run as they are, and are compared afterwards. */
export async function sandboxGaps(machine: Machine, opaque: string): Promise<readonly SandboxGap[]> {
  const hooked = opaque === "sandbox" ? clientNames.filter((name) => isHooked(name, machine)) : [];
  if (hooked.length === 0) return [];
  const found = await findBubblewrap({ platform: process.platform, path: machine.path });
  if ("missing" in found) return [{ client: null, why: found.missing, next: deny }];
  return hooked.flatMap((client) => {
    const gap = ofClients[client];
    return gap === undefined ? [] : [{ client, ...gap }];
  });
}

function isHooked(name: ClientName, { root, home }: Machine): boolean {
  const { personal, shared } = clientSetups[name].files;
  return [personal, shared].some((file) => {
    try {
      const text = file === null ? null : readSettings(file, { root, home, further: [] });
      return text !== null && configuredHooks(name, text) !== undefined;
    } catch (error) {
      if (error instanceof SetupFault) return false; // the doctor says what is wrong with it
      throw error;
    }
  });
}
