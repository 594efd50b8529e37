import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import type { DesignDocument } from "../../ledger/decision-data.ts";
import type { Decision } from "../../ledger/ledger.ts";
import { versionPath } from "./design-versions.ts";

/** The documents that a question is about. */
export interface GateDocuments {
  /** Their full text; undefined if the question has no documents. */
  show(decision: Decision): string | undefined;
  /** The difference to the version of the previous question; undefined if there was none. */
  changes(decision: Decision): string | undefined;
}

export function gateDocuments(stateFolder: string): GateDocuments {
  const path = (document: DesignDocument | undefined) =>
    document === undefined ? "/dev/null" : versionPath(stateFolder, document.digest);
  const difference = (one: string, other: string) =>
    spawnSync("git", ["diff", "--no-index", "--no-color", "--", one, other], { encoding: "utf8" }).stdout;
  /** Without the header lines, which name internal files. */
  const body = (text: string) => text.replace(/^[\s\S]*?(?=^@@)/m, "");
  return {
    show: (decision) => {
      const documents = decision.data?.documents ?? [];
      if (documents.length === 0) return undefined;
      return documents.map((one) => `${heading(one.file)}${textOf(path(one))}`).join("\n");
    },
    changes: (decision) => {
      const { documents: now = [], before = [] } = decision.data ?? {};
      if (before.length === 0) return undefined;
      const files = new Set([...before, ...now].map(({ file }) => file));
      const find = (list: readonly DesignDocument[], file: string) => list.find((one) => one.file === file);
      return [...files]
        .map((file) => ({ file, text: body(difference(path(find(before, file)), path(find(now, file)))) }))
        .filter(({ text }) => text !== "")
        .map(({ file, text }) => `${heading(file)}${text}`)
        .join("\n");
    },
  };
}

function heading(file: string): string {
  return `── ${file} ──\n`;
}

function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "this version is no longer kept\n";
}
