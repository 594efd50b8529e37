import type { RuleCode } from "../core/rules/catalog.ts";

/** A request that ends the command before any use case saw it. */
export class CommandFault extends Error {
  override readonly name = "CommandFault";
  readonly code: RuleCode;

  constructor(code: RuleCode, message: string) {
    super(message);
    this.code = code;
  }
}
