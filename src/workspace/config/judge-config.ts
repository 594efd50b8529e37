import { borrowedSchema, type Config, configSchema } from "../../contract/config.ts";
import { readConfigDocument } from "./config-document.ts";
import { type Judged, judgeDocument } from "./judge-document.ts";

interface Source {
  readonly file: string;
  readonly text: string;
}

/** Keys that are read from another tool's file if our own file does not have them. */
export const borrowedKeys = ["hooks", "task_types"] as const;

type Borrowed = Partial<Pick<Config, (typeof borrowedKeys)[number]>>;

/** The project's own file: the configuration, and the keys that are in the file. */
export function judgeConfig({ file, text }: Source): Judged<{ config: Config; keys: readonly string[] }> {
  const document = readConfigDocument(file, text);
  if (!("value" in document)) return { faults: document };
  const judged = judgeDocument(document, configSchema);
  return "faults" in judged ? judged : { config: judged.data, keys: Object.keys(document.value as object) };
}

/** Another tool's file: only the wanted keys are read. */
export function judgeBorrowed(
  { file, text }: Source,
  { wanted, config }: { readonly wanted: readonly string[]; readonly config: Config },
): Judged<{ borrowed: Borrowed }> {
  const document = readConfigDocument(file, text);
  if (!("value" in document)) return { faults: document };
  const given = Object.entries(document.value as object).filter(([key]) => wanted.includes(key));
  const judged = judgeDocument(
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
