import { mayHoldSecret } from "./may-hold-secret.ts";
import type { SecretFinding } from "./secret-finding.ts";

/**
 * The preset's patterns are linear, but the engine compares all its messages pairwise: 25,000 findings in 1 MiB take
 * 5 s as one source. Windows limit that. Adjacent windows share OVERLAP characters, more than the longest match (a
 * GitHub installation token, 12 KiB), so that every match is entirely inside one of them.
 */
const WINDOW = 65_536;
const OVERLAP = 16_384;

const RULE_PREFIX = "@secretlint/secretlint-rule-";

/** The findings of secretlint's preset. The engine is loaded on first use. */
export async function findByPreset(text: string): Promise<SecretFinding[]> {
  const findings: SecretFinding[] = [];
  for (let from = 0; ; from += WINDOW - OVERLAP) {
    const to = Math.min(from + WINDOW, text.length);
    const window = text.slice(from, to);
    if (mayHoldSecret(window)) {
      for (const { rule, start, end } of await lintWindow(window)) {
        // A match at an inner edge may be incomplete; the adjacent window contains it entirely.
        const cut = (start === 0 && from > 0) || (end === window.length && to < text.length);
        if (!cut) findings.push({ rule, start: from + start, end: from + end });
      }
    }
    if (to === text.length) return findings;
  }
}

type Lint = (content: string) => Promise<readonly PresetMessage[]>;

interface PresetMessage {
  readonly ruleId: string;
  readonly range: readonly [number, number];
  readonly data?: unknown;
}

let loaded: Promise<Lint> | undefined;

async function lintWindow(window: string): Promise<SecretFinding[]> {
  loaded ??= loadLint();
  const lint = await loaded;
  // The engine drops a leading byte order mark and counts from the character after it.
  const shift = window.charCodeAt(0) === 0xfeff ? 1 : 0;
  return (await lint(window)).map((message) => {
    const start = message.range[0] + shift;
    const end = Math.max(message.range[1] + shift, endOfReported(window, start, message.data));
    return { rule: message.ruleId.replace(RULE_PREFIX, ""), start, end };
  });
}

/**
 * Some rules report the start of the whole match with the length of the value alone, so the end of the value is
 * outside the range. The message's data contains the value: the range is extended to cover it.
 */
function endOfReported(window: string, start: number, data: unknown): number {
  if (typeof data !== "object" || data === null) return start;
  return Object.values(data).reduce((end: number, value) => {
    if (typeof value !== "string" || value === "") return end;
    const near = window.slice(start, start + value.length + 600);
    const at = near.indexOf(value);
    return at < 0 ? end : Math.max(end, start + at + value.length);
  }, start);
}

async function loadLint(): Promise<Lint> {
  const { lintSource, rules } = await import("./secretlint.ts");
  // The filter-comments rule would let a text disable its own scan with a "secretlint-disable" comment. The engine
  // ignores `disabled` for a rule of a preset, so the other rules are passed individually.
  const scanners = rules.filter((rule) => rule.meta.id !== `${RULE_PREFIX}filter-comments`);
  const config = { rules: scanners.map((rule) => ({ id: rule.meta.id, rule })) };
  return async (content) => {
    const source = { content, filePath: "", ext: ".txt", contentType: "text" } as const;
    return (await lintSource({ source, options: { config, noPhysicFilePath: true } })).messages;
  };
}
