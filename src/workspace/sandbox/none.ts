import type { Sandbox } from "./sandbox.ts";

/** No sandbox: the command runs unchanged, with the private temporary folder. */
export function noSandbox(): Sandbox {
  return {
    kind: "none",
    enforces: false,
    hasOwnNetworks: async () => false,
    wrap: (command, { temporary }, { env }) => ({
      command,
      env: temporary === null ? { ...env } : { ...env, TMPDIR: temporary },
    }),
  };
}
