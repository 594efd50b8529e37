import type { ParserOptions, ParserPlugin } from "@babel/parser";
import type { Fault } from "./fault.ts";
import type { SyntaxNode } from "./walk-script.ts";
import { withDeadline } from "./with-deadline.ts";

type ScriptResult = { readonly program: SyntaxNode } | { readonly fault: Fault };

export interface ScriptParser {
  parse(path: string, text: string): ScriptResult;
}

const msMax = 2000;
const msMin = 50;

/** One a gate run: each text that takes too long halves the time of the next. */
export async function scriptParser(): Promise<ScriptParser> {
  const { parse } = await import("@babel/parser");
  let ms = msMax;
  const attempt = (text: string, options: ParserOptions): ScriptResult => {
    try {
      const done = withDeadline(ms, () => parse(text, options));
      if (done !== undefined) return { program: done.value.program as unknown as SyntaxNode };
      ms = Math.max(msMin, ms / 2);
      return { fault: { line: 1, message: "takes too long to parse: it is nested in too many ways" } };
    } catch (error) {
      return { fault: faultIn(error) };
    }
  };
  return {
    parse: (path, text) => {
      const first = attempt(text, optionsFor(path, text, "decorators-legacy"));
      if ("program" in first || !text.includes("@")) return first;
      // `export @a class B {}` is of the newer form of decorators alone.
      const second = attempt(text, optionsFor(path, text, "decorators"));
      return "program" in second ? second : first;
    },
  };
}

function optionsFor(path: string, text: string, decorators: ParserPlugin): ParserOptions {
  const shared: ParserPlugin[] = [
    decorators,
    "decoratorAutoAccessors",
    "deferredImportEvaluation",
    "sourcePhaseImports",
  ];
  const module = /\.m[jt]s$/.test(path);
  return {
    sourceType: module ? "module" : "unambiguous",
    allowReturnOutsideFunction: !module,
    attachComment: false,
    plugins: [...languageOf(path, text), ...shared],
  };
}

function languageOf(path: string, text: string): ParserPlugin[] {
  if (/\.[cm]?tsx?$/.test(path)) {
    const dts = /\.d\.(?:[\w-]+\.)?[cm]?ts$/.test(path);
    return path.endsWith("x") ? ["typescript", "jsx"] : [["typescript", { dts }]];
  }
  return /^[^\n]*@flow\b|\n\s*\*?\s*@flow\b/.test(text.slice(0, 1000)) ? ["flow", "jsx"] : ["jsx"];
}

/** Babel's errors carry their place; a stack that ran out is a tree too deep. */
function faultIn(error: unknown): Fault {
  if (error instanceof RangeError) return { line: 1, message: "nested too deeply to be parsed" };
  const { loc, message } = error as { loc?: { line: number; column: number }; message: string };
  if (loc === undefined) throw error;
  const [cause = ""] = message.replace(/\s*\(\d+:\d+\)$/, "").split("\n");
  const plain = cause.replace(/\.$/, "");
  return {
    line: loc.line,
    message: `${plain.charAt(0).toLowerCase()}${plain.slice(1)}, column ${loc.column + 1}`,
  };
}
