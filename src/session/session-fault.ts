import type { Deny } from "../core/rules/verdict.ts";

/** What a session needs cannot be stored, shown or done: nothing more is done. */
export class SessionFault extends Error {
  readonly code: Deny["code"];

  constructor({ code, reason }: Deny) {
    super(reason);
    this.code = code;
  }
}
