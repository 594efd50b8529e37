import type { GuardedClient } from "../../contract/tool-call.ts";
import { readCall } from "../payload/read-call.ts";

/** Also what Copilot and Cursor send to the hooks that they find in Claude's settings. */
export const parse: GuardedClient["parse"] = (payload, at) => readCall(payload, at);
