import { type Fault, isFault, problemsOf } from "../../points/fault.ts";
import { readCriterion as readWay } from "../../proof/criterion.ts";
import { line, readFields, text } from "../../reports/read-fields.ts";
import { quoted } from "../../text/quoted.ts";
import { readJson } from "../../text/read-json.ts";
import { field, isLine, isText, isTextList } from "../../values/fields.ts";

export interface Criterion {
  readonly id: string;
  readonly description: string;
  /** At least one way to check the criterion. */
  readonly verify: readonly string[];
}

const file = "acceptance.json";
const form = '{"acceptance_criteria": [{"id": "AC-1", "description": "…", "verify": ["cmd: npm test"]}]}';
const criteriaMax = 1000;

const ways = {
  is: (value: unknown): value is string | readonly string[] =>
    isText(value) || (isTextList(value) && value.length > 0),
  wanted: "a list of at least one way to check the criterion",
};

/** The criteria of acceptance.json, or all errors in it (S4-161). */
export function readAcceptance(
  content: string,
): { readonly criteria: readonly Criterion[] } | { readonly faults: readonly string[] } {
  const document = readJson(content);
  if (document === undefined) return { faults: [`${file}: the file is not valid JSON: write ${form}`] };
  const listed = field(document, "acceptance_criteria");
  if (!Array.isArray(listed) || listed.length === 0 || listed.length > criteriaMax)
    return {
      faults: [
        `${file}: \`acceptance_criteria\` is not a list of 1 to ${criteriaMax} criteria: write ${form}`,
      ],
    };
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
  const wanted = "write `cmd:` and a command, or `manual:` and what a person has to check, on one line";
  return { error: `\`${place}\` is ${quoted(verify[unclear] ?? "")}: ${wanted}`, field: place };
}

/** A way that could neither be run nor be shown to a person. */
function saysNothing(way: string): boolean {
  const read = readWay(way);
  return read.kind === "claim" || (read.kind === "command" ? read.command : read.statement) === "";
}

function twice(ids: readonly string[]): readonly string[] {
  return [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))];
}
