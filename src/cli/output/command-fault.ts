import type { RuleCode } from "../../core/rules/catalog.ts";
import type { Details } from "../../core/rules/verdict.ts";

/** A request that ends the command before any use case saw it. */
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
