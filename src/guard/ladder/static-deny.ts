import { shellWord } from "../../core/points/quoted.ts";

const reason =
  "lockstep: work is active here and the guard cannot be run, so this is refused: let a person run `lockstep status` in the project, which tells hooks anew where lockstep is; where it is gone, remove the file named active in its state folder";

interface Form {
  /** What stands in payloads of calls that have not been made yet, and in no others; empty where nothing does. */
  readonly before: string;
  readonly document: object;
}

const asClaude: Form = {
  before: "PreToolUse",
  document: {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: reason,
    },
  },
};

/** Built into a file too, for a Node that can load nothing else. */
export const refusalForms: Readonly<Record<string, Form>> = {
  claude: asClaude,
  codex: asClaude,
  gemini: { before: "BeforeTool", document: { decision: "deny", reason } },
  copilot: {
    before: "",
    document: { permissionDecision: "deny", permissionDecisionReason: reason, ...asClaude.document },
  },
  opencode: { before: "", document: { allow: false, reason } },
  cursor: {
    before: "",
    document: { permission: "deny", userMessage: reason, agentMessage: reason },
  },
};

/**
 * A deny that a shell says by itself: nobody is there to read the payload, so every call that is still to be made is
 * refused, and what has happened already is not. An empty payload is one that a client read which then failed.
 */
export function staticDeny(client: string): string {
  const { before, document } = refusalForms[client] ?? asClaude;
  const [out, err] = [JSON.stringify(document), reason].map(shellWord);
  return `case $p in ''|*${before}*)printf '%s\\n' ${out};printf '%s\\n' ${err}>&2;exit 2;esac`;
}
