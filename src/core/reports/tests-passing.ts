/** Whether an agent's `testsPassing` says that all tests pass. It may be a text, a count, a list or a boolean. */
export function allTestsPass(passing: unknown, added: unknown): boolean {
  if (passing === undefined) return true;
  if (typeof passing === "boolean") return passing;
  const passed = countOf(passing);
  // Without `added`, at least one test must pass.
  if (passed !== undefined) return passed >= (countOf(added) ?? 1);
  return typeof passing === "string" && !saysNotAll(passing);
}

function countOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (Array.isArray(value)) return value.length;
  if (typeof value === "string" && /^\s{0,9}\d{1,9}\s{0,9}$/.test(value)) return Number(value);
  return undefined;
}

const share = /(\d{1,9}) ?(?:\/|out of|of) ?(\d{1,9})/g;
const percentage = /(\d{1,3})(?:\.\d{1,9})? ?%/g;
const trouble = "(?:fail\\w{0,9}|errors?|broken|red|pending|todo|skipped|regressions?|problems?|issues?)";
const noTrouble = new RegExp(
  `(?<!\\w)(?:(?:0|no|zero|without|none|nothing) (?:tests? )?${trouble}|${trouble} ?[:=] ?0)(?!\\w)`,
  "g",
);
const doubt =
  /(?<!\w)(?:false|no|not|none|never|nothing|fail\w{0,9}|broken|red|some|most|mostly|partial\w{0,4}|partly|few|half|almost|nearly|errors?|except|but|unknown|untested|pending|todo)(?!\w)|n['’]t(?!\w)/;

function saysNotAll(words: string): boolean {
  const text = words.toLowerCase().replace(/\s+/g, " ");
  for (const [, passed, all] of text.matchAll(share)) if (Number(passed) < Number(all)) return true;
  for (const [, percent] of text.matchAll(percentage)) if (Number(percent) < 100) return true;
  return doubt.test(text.replace(noTrouble, ""));
}
