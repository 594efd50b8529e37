import type { GuardedClient } from "../../guard/tool-call.ts";
import { readCall } from "../payload/read-call.ts";

export const parse: GuardedClient["parse"] = (payload, at) => readCall(payload, at);
