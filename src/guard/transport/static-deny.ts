import { denial as claudeDenial } from "../../clients/claude/render.ts";
import { plainDenial as copilotDenial } from "../../clients/copilot/render.ts";
import { denial as cursorDenial } from "../../clients/cursor/render.ts";
import { denial as geminiDenial } from "../../clients/gemini/render.ts";
import { denial as opencodeDenial } from "../../clients/opencode/render.ts";
import type { ClientName } from "../../contract/client-names.ts";
import { inShell } from "./seems-active.ts";

const reason =
  "lockstep: work is active here and the guard cannot be run, so this call is refused: ask a person to run `lockstep status` in the project, which repairs the hooks; if lockstep was uninstalled, remove the file named active in its state folder";

interface Form {
  /** A text that is only in payloads of calls that have not run yet; empty if there is none. */
  readonly before: string;
  readonly document: object;
}

const asClaude: Form = { before: "PreToolUse", document: claudeDenial(reason) };

/** Also built into a separate file, for a Node that cannot load anything else. */
export const refusalForms: Readonly<Record<string, Form>> = {
  claude: asClaude,
  codex: asClaude,
  gemini: { before: "BeforeTool", document: geminiDenial(reason) },
  // The payload says which of the two forms the client expects, so both are sent.
  copilot: { before: "", document: { ...copilotDenial(reason), ...claudeDenial(reason) } },
  opencode: { before: "", document: opencodeDenial(reason) },
  cursor: { before: "", document: cursorDenial(reason) },
} satisfies Readonly<Record<ClientName, Form>>;

/** A text in payloads of the client's calls that have not run yet. */
export function eventBefore(client: string): string {
  return (refusalForms[client] ?? asClaude).before;
}

/**
 * The end of the hook file: a refusal by the shell itself. It cannot parse the payload, so it refuses every call that has
 * not run yet, and no other event.
 */
export function staticDeny(): string {
  const cases = Object.entries(refusalForms).map(([client, { before, document }]) => {
    // Closes the quotes around the variable and opens them again. The rest of the document has no quotes of this kind.
    const text = JSON.stringify(document).replaceAll(reason, "'$reason'");
    return `  ${client})\n    before=${before}\n    document='${text}'\n    ;;`;
  });
  return `\
# The guard could not be asked: the call is allowed if nothing is active.
[ -n "$payload" ] || payload=$(cat)
[ -n "$agent" ] || ${inShell.isShown} || ${inShell.isOrchestrator} || exit 0

# Otherwise it is refused in the client's format. Events after a call or at a session's end pass: \`before\` is
# in the payload of each call that has not run yet. An empty payload was consumed by a program that failed.
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
