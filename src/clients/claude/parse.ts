import type { GuardedClient } from "../../contract/tool-call.ts";
import { readCall } from "../payload/read-call.ts";

/** Also reads calls of Copilot and Cursor, which run the hooks in Claude's settings. */
export const parse: GuardedClient["parse"] = (payload, at) => readCall(payload, at);
