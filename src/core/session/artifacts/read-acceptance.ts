import { type Fault, isFault, problemsOf } from "../../points/fault.ts";
import { readCriterion as readWay } from "../../proof/criterion.ts";
import { line, readFields, text } from "../../reports/read-fields.ts";
import { quoted } from "../../text/quoted.ts";
import { readJson } from "../../text/read-json.ts";
import { field, isLine, isText, isTextList } from "../../values/fields.ts";

export interface Criterion {
  readonly id: string;
  readonly description: string;
  /** How to find out whether it is met; at least one way. */
  readonly verify: readonly string[];
}

const file = "acceptance.json";
const form = '{"acceptance_criteria": [{"id": "AC-1", "description": "…", "verify": ["cmd: npm test"]}]}';
const criteriaMax = 1000;

const ways = {
  is: (value: unknown): value is string | readonly string[] =>
    isText(value) || (isTextList(value) && value.length > 0),
  wanted: "a list of at least one way to find out whether it is met",
};

/** The criteria of acceptance.json, or everything that is wrong with it (S4-161). */
export function readAcceptance(
  content: string,
): { readonly criteria: readonly Criterion[] } | { readonly faults: readonly string[] } {
  const document = readJson(content);
  if (document === undefined) return { faults: [`${file}: it is no JSON: write ${form}`] };
  const listed = field(document, "acceptance_criteria");
  if (!Array.isArray(listed) || listed.length === 0 || listed.length > criteriaMax)
    return { faults: [`${file}: \`acceptance_criteria\` is no list of 1 to ${criteriaMax}: write ${form}`] };
  const read = listed.map((one, index) => readCriterion(one, `acceptance_criteria[${index}].`));
  const criteria = read.flatMap((one) => (isFault(one) ? [] : [one]));
  const faults = [
    ...read.flatMap((one) => (isFault(one) ? problemsOf(one).map((problem) => `${file}: ${problem}`) : [])),
    ...twice(criteria.map(({ id }) => id)).map((id) => `${file}: two criteria have the id ${quoted(id)}`),
  ];
  return faults.length > 0 ? { faults } : { criteria };
}

function readCriterion(one: unknown, prefix: string): Criterion | Fault {
  const read = readFields(one, prefix, { id: line, description: text, verify: ways });
  if (isFault(read)) return read;
  const { id, description } = read;
  const verify = typeof read.verify === "string" ? [read.verify] : read.verify;
  const unclear = verify.findIndex((way) => !isLine(way) || saysNothing(way));
  if (unclear < 0) return { id, description, verify };
  const place = `${prefix}verify[${unclear}]`;
  const wanted =
    "begin it with `cmd:` and a command that is run, or with `manual:` and what a person looks at, on one line";
  return { error: `\`${place}\` is ${quoted(verify[unclear] ?? "")}: ${wanted}`, field: place };
}

/** It would never be run, and no person would be asked. */
function saysNothing(way: string): boolean {
  const read = readWay(way);
  return read.kind === "claim" || (read.kind === "command" ? read.command : read.statement) === "";
}

function twice(ids: readonly string[]): readonly string[] {
  return [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))];
}
