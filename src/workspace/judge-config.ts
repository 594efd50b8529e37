import type { z } from "zod";
import { borrowedSchema, type Config, configSchema } from "../contract/config.ts";
import { type ConfigDocument, readConfigDocument } from "./config-document.ts";
import type { ConfigFault } from "./config-fault.ts";
import { expectedText, faultsOfIssues } from "./config-issues.ts";

interface Source {
  readonly file: string;
  readonly text: string;
}

type Judged<Found> = Found | { readonly faults: readonly ConfigFault[] };

/** What another tool's file may say for ours, where ours is silent. */
export const borrowedKeys = ["hooks", "task_types"] as const;

type Borrowed = Partial<Pick<Config, (typeof borrowedKeys)[number]>>;

/** A project's own file: the configuration, and which keys the file itself has. */
export function judgeConfig({ file, text }: Source): Judged<{ config: Config; keys: readonly string[] }> {
  const document = readConfigDocument(file, text);
  if (!("value" in document)) return { faults: document };
  const judged = judge(document, configSchema);
  return "faults" in judged ? judged : { config: judged.data, keys: Object.keys(document.value as object) };
}

/** Another tool's file: of it only the keys that are wanted are read. */
export function judgeBorrowed(
  { file, text }: Source,
  { wanted, config }: { readonly wanted: readonly string[]; readonly config: Config },
): Judged<{ borrowed: Borrowed }> {
  const document = readConfigDocument(file, text);
  if (!("value" in document)) return { faults: document };
  const given = Object.entries(document.value as object).filter(([key]) => wanted.includes(key));
  const judged = judge(
    {
      ...document,
      value: { ...Object.fromEntries(given), unknown_hooks: config.unknown_hooks },
      faults: document.faults.filter(({ path }) => wanted.includes(path.split(/[.[]/)[0] ?? "")),
    },
    borrowedSchema,
  );
  if ("faults" in judged) return judged;
  const { hooks, task_types } = judged.data;
  return { borrowed: { ...(hooks && { hooks }), ...(task_types && { task_types }) } };
}

function judge<Schema extends z.ZodType>(
  document: ConfigDocument,
  schema: Schema,
): Judged<{ data: z.output<Schema> }> {
  const { data, error } = schema.safeParse(document.value, { error: expectedText });
  const found = error === undefined ? [] : faultsOfIssues(document, error.issues);
  if (error === undefined && document.faults.length === 0) return { data };
  const known = new Set(document.faults.map(({ path }) => path));
  return { faults: [...document.faults, ...found.filter(({ path }) => !known.has(path))].sort(inOrder) };
}

function inOrder(one: ConfigFault, other: ConfigFault): number {
  const lines = (one.line ?? 0) - (other.line ?? 0);
  return lines === 0 ? (one.column ?? 0) - (other.column ?? 0) : lines;
}
