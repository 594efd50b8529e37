import { JsonFault, jsonValue, readJsonTree } from "../../../core/text/json-tree.ts";
import { type Fault, lineAt } from "./fault.ts";

type JsonResult = { readonly document: unknown } | { readonly fault: Fault };

/** JSON; with `comments` also what JSONC allows beyond it. */
export function readJson(text: string, { comments = false } = {}): JsonResult {
  try {
    return { document: JSON.parse(text) };
  } catch {} // which does not always say where it stopped, and knows no comments
  try {
    return { document: jsonValue(readJsonTree(text, { comments })) };
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return { fault: { line: lineAt(text, error.at), message: error.message } };
  }
}
