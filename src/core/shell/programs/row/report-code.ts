import type { Options } from "../../read-options.ts";
import { known, type Text } from "../../text.ts";
import type { Call, Effects } from "../../types.ts";

/** A client may type into a running program, and some clients call no hook for it. */
export const typedInto = "text that is typed into it later is not known";

/** Shared by all interpreters: inline code, a script, or code on standard input. */
export function reportCode(code: readonly Text[], options: Options, effects: Effects, call: Call): void {
  const [script, ...rest] = options.operands;
  if (code.length > 0) {
    for (const text of code) effects.code(text);
    effects.opaque("it runs inline code");
    for (const word of options.operands) effects.operand(word);
  } else if (script === undefined || isStandardInput(script)) {
    reportInput(effects, call);
    for (const word of rest) effects.operand(word);
  } else {
    effects.opaque("it runs a script", { script });
    const pipe = script.find((piece) => piece.kind === "pipe");
    if (pipe?.kind === "pipe" && pipe.content !== undefined) effects.code(pipe.content);
    for (const word of rest) effects.operand(word);
  }
}

function reportInput(effects: Effects, call: Call): void {
  if (call.input.kind === "text") effects.code(call.input.text);
  effects.opaque(call.input.kind === "none" ? typedInto : "it runs code from standard input");
}

function isStandardInput(script: Text): boolean {
  return /^(?:-|\/dev\/stdin|\/dev\/fd\/0)$/.test(known(script) ?? "");
}
