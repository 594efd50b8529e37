import type { GuardedClient } from "../../contract/tool-call.ts";
import { readCall } from "../payload/read-call.ts";

/** Its subagents cannot be told from the main session. */
export const parse: GuardedClient["parse"] = (payload, at) => readCall(payload, at);
