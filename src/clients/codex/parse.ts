import type { GuardedClient } from "../../contract/tool-call.ts";
import { field } from "../../core/values/fields.ts";
import { readCall } from "../payload/read-call.ts";

/** In every other mode commands run in Codex's own sandbox, in which no second one can be started. */
export const parse: GuardedClient["parse"] = (payload, at) =>
  readCall(payload, at, {
    replaceable: field(payload, "permission_mode") === "bypassPermissions" && "in quotes",
  });
