import { hashText } from "../text/hash-text.ts";

/**
 * The parts of a message that differ between two occurrences of the same error. Repetitions are bounded and every
 * pattern begins with a known character, so that matching is linear on any input. Other numbers stay, because they
 * may be the value that is wrong.
 */
const pathTail = /[^\s"'`<>|,;:()[\]{}]{1,4096}/.source;
const countedWords =
  "tests?|suites?|specs?|cases?|assertions?|errors?|failures?|failed|failing|passed|passing|skipped|pending|" +
  "todo|warnings?|problems?|issues?|files?|modules?|packages?|lines?|times|attempts?|retries|tries|runs?|" +
  "requests?|bytes?|[km]i?b|more|others?|total";
const countingWords =
  "attempt|retry|try|run|iteration|round|cycle|step|request|pid|process|node|thread|worker|job|line|column|" +
  "col|row|offset|position|count|id";

const passing: readonly string[] = [
  // UUIDs
  /(?<![\da-z])[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}(?![\da-z])/.source,
  // ISO times, in full, in the basic form, and the clock alone
  /(?<!\d)\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:z(?!\w)|[+-]\d\d:?\d\d)?)?(?!\d)/
    .source,
  /(?<!\d)\d{8}t\d{6}(?:[.,]\d{1,9})?(?:z(?!\w))?(?!\d)/.source,
  /(?<![\d:.])\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?(?!\d)/.source,
  // addresses
  /(?<![\da-z])0x[\da-f]{1,64}(?![\da-z])/.source,
  // temporary paths
  `(?<![\\w.-])(?:/private)?/(?:(?:var/)?tmp|var/folders|dev/shm)/${pathTail}`,
  `[\\\\/]{1,2}(?:appdata[\\\\/]{1,2}local|windows|(?<=[a-z]:[\\\\/]{1,2}))[\\\\/]{0,2}te?mp[\\\\/]${pathTail}`,
  // durations
  /(?<![\w.])\d{1,6} ?m ?\d{1,2}(?:\.\d{1,9})? ?s(?!\w)/.source,
  /(?<![\w.])\d{1,12}(?:\.\d{1,9})? ?(?:[nuµμm]?s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?)(?!\w)/.source,
  // line and column
  /:(?<=(?:\.[a-z]\w{0,9}|file):)\d{1,7}(?::\d{1,7})?(?!\d)/.source,
  /\((?<=\.[a-z]\w{0,9}\()\d{1,7}(?:, ?\d{1,7})?\)/.source,
  /(?<![\w:.])\d{1,7}:\d{1,7}(?![\w:])/.source,
  /:\d{1,7}:\d{1,7}(?![\w:])/.source,
  // counters
  /(?<![\w.])\d{1,9}(?:\/| of | out of )\d{1,9}(?!\w|\.\d)/.source,
  `(?<![\\w.])\\d{1,9}(?:,\\d{3}){0,3}(?= (?:${countedWords})(?!\\w))`,
  `\\d(?<=(?<!\\w)(?:${countingWords})[ :=#-]{1,3}\\d)\\d{0,8}(?!\\w)`,
  /(?<!\w)#\d{1,9}(?!\w)/.source,
  /(?<![\w.])\d{1,3}(?:\.\d{1,3})?%/.source,
  // timestamps in seconds or milliseconds since 1970, and other long numbers
  /(?<![\w.])\d{9,20}(?!\w|\.\d)/.source,
];

const passingPattern = new RegExp(passing.join("|"), "gi");

/** Equal for two occurrences of the same error. */
export function errorFingerprint(errorType: string, message: string): string {
  const lasting = message.replace(/\s+/g, " ").trim().replace(passingPattern, "#");
  return hashText(`${errorType}\n${lasting}`);
}
