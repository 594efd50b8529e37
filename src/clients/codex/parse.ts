import type { GuardedClient } from "../../contract/tool-call.ts";
import { field } from "../../core/values/fields.ts";
import { readCall } from "../payload/read-call.ts";

/** Its own sandbox, which is around commands in every other mode, allows no other one inside. */
export const parse: GuardedClient["parse"] = (payload, at) =>
  readCall(payload, at, {
    replaceable: field(payload, "permission_mode") === "bypassPermissions" && "in quotes",
  });
