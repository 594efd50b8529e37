import type { GuardedClient } from "../../contract/tool-call.ts";
import { readCall } from "../payload/read-call.ts";

/** Gemini's subagents cannot be distinguished from the main session. */
export const parse: GuardedClient["parse"] = (payload, at) => readCall(payload, at);
