import type { Blocker, Dispatched, Returned, Session, Strategy } from "./session.ts";
import type { RepairLoop } from "./states.ts";

/** Everything that can happen to a session. */
export type SessionEvent =
  | { readonly type: "dispatch"; readonly dispatched: Omit<Dispatched, "at"> }
  /** A role returned with a valid result. */
  | { readonly type: "return"; readonly returned: Pick<Returned, "status" | "summary" | "next" | "findings"> }
  /** A role did not return, or returned no valid result. It may be asked again. */
  | { readonly type: "give-up" }
  | { readonly type: "intake-done" }
  /** The work is too large for lean mode: it starts again in full mode. */
  | { readonly type: "too-complex"; readonly reason: string }
  | { readonly type: "designed" }
  | { readonly type: "approved" }
  | { readonly type: "changes-requested"; readonly request: string }
  | { readonly type: "corrected" }
  /** The design is shown to the person again. */
  | { readonly type: "ask-approval" }
  | { readonly type: "planned" }
  | { readonly type: "strategy-chosen"; readonly strategy: Strategy }
  | { readonly type: "repair"; readonly loop: RepairLoop; readonly task: string }
  | { readonly type: "repaired"; readonly task: string }
  /** A person resets a repair loop that reached its limit. */
  | { readonly type: "grant-repairs"; readonly loop: RepairLoop; readonly task: string }
  | { readonly type: "implemented" }
  | { readonly type: "integrated" }
  | { readonly type: "released" }
  | { readonly type: "ask" }
  | { readonly type: "answered" }
  | { readonly type: "block"; readonly blocker: Omit<Blocker, "at" | "from"> }
  | { readonly type: "resume" }
  | {
      readonly type: "note";
      readonly assumptions?: readonly string[];
      readonly knownIssues?: readonly string[];
      readonly ci?: Session["ci"];
      readonly failedStep?: string | null;
      readonly checksWaived?: string;
      readonly instructionsExist?: boolean;
    };

export type SessionEventType = SessionEvent["type"];
export type SessionEventOf<Type extends SessionEventType> = Extract<SessionEvent, { readonly type: Type }>;
