import type { RuleCode } from "../../core/rules/catalog.ts";
import type { Details } from "../../core/rules/verdict.ts";

/** An error that ends the command, with its rule code. */
export class CommandFault extends Error {
  override readonly name = "CommandFault";
  readonly code: RuleCode;
  readonly details: Details;

  constructor(code: RuleCode, message: string, details: Details = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}
