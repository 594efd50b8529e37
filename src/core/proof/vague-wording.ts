import { quoted } from "../text/quoted.ts";
import { readCriterion } from "./criterion.ts";

/** Words without specific meaning: a text made only of these names nothing that can be checked. */
const vagueWords = new Set(
  `a an the this that these those it they is are be been was were do does done have has should must will can
  and or of to in for with as so all any no not more very really just also again now always
  stuff thing things everything anything something task tasks work works worked working job feature features
  code change changes update updates implementation result results quality bug bugs issue issues problem problems
  good better best great nice fine ok okay right correct proper clean perfect robust solid acceptable complete
  completed finished finish ready improved improve improves fixed fix fixes expected well correctly properly fully
  nicely make makes look looks function functions handle handles fast faster quick quickly easy simple efficient
  secure stable reliable beautiful modern intuitive friendly`.split(/\s+/),
);

/** A capitalised word inside a text counts as a name, and so does a word with digits or in another language. */
function isVague(text: string): boolean {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.every((word, at) => vagueWords.has(at === 0 ? word.toLowerCase() : word));
}

interface Worded {
  readonly goal?: string;
  readonly criteria: readonly string[];
}

/**
 * Warnings about a vague goal or vague criteria (S1-140, S1-141). Nothing is refused because of them: only a person
 * knows what was meant.
 */
export function vagueWarnings({ goal, criteria }: Worded): readonly string[] {
  const unclear = criteria.filter((line) => {
    const criterion = readCriterion(line);
    if (criterion.kind === "command") return false;
    return isVague(criterion.kind === "manual" ? criterion.statement : criterion.text);
  });
  return [
    ...(goal !== undefined && isVague(goal)
      ? [
          `the goal ${quoted(goal)} does not say what will change: name something that can be seen or measured, such as \`totals are rounded to two digits\``,
        ]
      : []),
    ...unclear.map(
      (line) =>
        `${quoted(line)} cannot be checked: name a command or what to look at, such as \`cmd: npm test\` or \`manual: the invoice shows two digits\``,
    ),
  ];
}
