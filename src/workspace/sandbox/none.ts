import type { Sandbox } from "./sandbox.ts";

/** No walls: the command as it is, with the private temporary folder. */
export function noSandbox(): Sandbox {
  return {
    kind: "none",
    enforces: false,
    wrap: (command, { temporary }, { env }) => ({
      command,
      env: temporary === null ? { ...env } : { ...env, TMPDIR: temporary },
    }),
  };
}
