import type { Blocker, Dispatched, Returned, Session, Strategy } from "./session.ts";
import type { RepairLoop } from "./states.ts";

/** Everything that can happen to a session. */
export type SessionEvent =
  | { readonly type: "dispatch"; readonly dispatched: Omit<Dispatched, "at"> }
  /** A role came back with something that counts. */
  | { readonly type: "return"; readonly returned: Pick<Returned, "status" | "summary" | "next" | "findings"> }
  /** It never came back, or with nothing that counts: it may be asked again. */
  | { readonly type: "give-up" }
  | { readonly type: "intake-done" }
  /** What looked small is not: the whole way, from the start. */
  | { readonly type: "too-complex"; readonly reason: string }
  | { readonly type: "designed" }
  | { readonly type: "approved" }
  | { readonly type: "changes-requested"; readonly wish: string }
  | { readonly type: "corrected" }
  /** The design is shown to the person anew. */
  | { readonly type: "ask-approval" }
  | { readonly type: "planned" }
  | { readonly type: "strategy-chosen"; readonly strategy: Strategy }
  | { readonly type: "repair"; readonly loop: RepairLoop; readonly task: string }
  | { readonly type: "repaired"; readonly task: string }
  /** A person lets a loop that was gone through too often begin anew. */
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
