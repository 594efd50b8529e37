import { JsonFault } from "../../core/text/json-tree.ts";
import type { ConfigFault } from "../../workspace/config/config-fault.ts";

/** The new text of a settings file (null to delete it); or why it cannot be edited. */
export type SettingsEdit =
  | { readonly ok: true; readonly text: string | null }
  | { readonly ok: false; readonly fault: ConfigFault };

/** Content of a settings file that Lockstep cannot edit, and its place. */
export class UnreadableSettings extends Error {
  readonly at: number;
  readonly expected: string;

  constructor(problem: string, { at, expected }: { at: number; expected: string }) {
    super(problem);
    this.at = at;
    this.expected = expected;
  }
}

/** Runs an edit of a file's text. Text that cannot be read is a fault with its line, and nothing is changed. */
export function editSettings(file: string, text: string | null, edit: () => string | null): SettingsEdit {
  try {
    return { ok: true, text: edit() };
  } catch (error) {
    if (!(error instanceof UnreadableSettings || error instanceof JsonFault)) throw error;
    const before = (text ?? "").slice(0, error.at).split("\n");
    const place = { line: before.length, column: (before.at(-1) ?? "").length + 1 };
    const problem = error instanceof JsonFault ? "this is not JSON" : error.message;
    return { ok: false, fault: { file, ...place, path: "", problem, expected: error.expected } };
  }
}
