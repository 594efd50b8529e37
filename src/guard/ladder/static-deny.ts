import { denial as claudeDenial } from "../../clients/claude/render.ts";
import { plainDenial as copilotDenial } from "../../clients/copilot/render.ts";
import { denial as cursorDenial } from "../../clients/cursor/render.ts";
import { denial as geminiDenial } from "../../clients/gemini/render.ts";
import { denial as opencodeDenial } from "../../clients/opencode/render.ts";
import type { guardedClients } from "../world/guarded-clients.ts";
import { inShell } from "./seems-active.ts";

const reason =
  "lockstep: work is active here and the guard cannot be run, so this is refused: let a person run `lockstep status` in the project, which tells hooks anew where lockstep is; where it is gone, remove the file named active in its state folder";

interface Form {
  /** What stands in payloads of calls that have not been made yet, and in no others; empty where nothing does. */
  readonly before: string;
  readonly document: object;
}

const asClaude: Form = { before: "PreToolUse", document: claudeDenial(reason) };

/** Built into a file too, for a Node that can load nothing else. */
export const refusalForms: Readonly<Record<string, Form>> = {
  claude: asClaude,
  codex: asClaude,
  gemini: { before: "BeforeTool", document: geminiDenial(reason) },
  // Which of its two forms it wants, the payload tells.
  copilot: { before: "", document: { ...copilotDenial(reason), ...claudeDenial(reason) } },
  opencode: { before: "", document: opencodeDenial(reason) },
  cursor: { before: "", document: cursorDenial(reason) },
} satisfies Readonly<Record<keyof typeof guardedClients, Form>>;

/** What stands in payloads of the client's calls that have not been made yet. */
export function eventBefore(client: string): string {
  return (refusalForms[client] ?? asClaude).before;
}

/**
 * The end of the hook file: a deny that a shell says by itself. Nobody is there to read the payload, so every call that
 * is still to be made is refused, and what has happened already is not.
 */
export function staticDeny(): string {
  const cases = Object.entries(refusalForms).map(([client, { before, document }]) => {
    // Quotes end for the variable and begin again; the rest of a document has none.
    const text = JSON.stringify(document).replaceAll(reason, "'$reason'");
    return `  ${client})\n    before=${before}\n    document='${text}'\n    ;;`;
  });
  return `\
# Nobody could be asked: the call passes where nothing is active.
[ -n "$payload" ] || payload=$(cat)
[ -n "$agent" ] || ${inShell.isShown} || ${inShell.isOrchestrator} || exit 0

# Else it is refused in the client's own form. What is told after a call, or at a session's end, passes: \`before\` stands
# in the payload of each call that is still to be made, and an empty payload is one that a failed program has read.
reason='${reason}'
case $client in
${cases.join("\n")}
esac
case $payload in
  '' | *"$before"*)
    printf '%s\\n' "$document"
    printf '%s\\n' "$reason" >&2
    exit 2
    ;;
esac
exit 0`;
}
