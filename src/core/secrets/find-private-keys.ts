import type { SecretFinding } from "./secret-finding.ts";

const HEADER = /-{4,5} ?BEGIN ?[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g;
const FOOTER = /-{4,5} ?END ?[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/y;
/** A line of the body; line breaks may be JSON escapes. */
const BODY_LINE = /(?:\s|\\[nr]){0,8}[A-Za-z0-9+/]{32,4096}={0,2}/y;
const LAST_LINE = /(?:\s|\\[nr]){1,8}[A-Za-z0-9+/]{1,76}={0,2}(?=\s|\\|["'`]|$)/y;
const LONGEST_BODY = 20_000;

/**
 * A whole PEM key in base64 on one line: the encoded "-----BEGIN", unless followed by CERTIFICATE, X509,
 * PUBLIC, RSA PUBLIC or PGP PUBLIC.
 */
const ENCODED_PEM =
  /(?<![A-Za-z0-9+/])LS0tLS1CRUdJTi(?!BDRVJU|BYNTA5|BQVUJM|BSU0EgUFVC|BQR1AgUFVC)[A-Za-z0-9+/]{4,16384}={0,2}/g;

/** Private keys in PEM form: the header with its body, or the header alone. */
export function findPrivateKeys(text: string): SecretFinding[] {
  const findings: SecretFinding[] = [];
  for (const match of text.matchAll(HEADER)) {
    const end = endOfKey(text, match.index + match[0].length);
    findings.push({ rule: "private-key", start: match.index, end });
  }
  for (const match of text.matchAll(ENCODED_PEM)) {
    findings.push({ rule: "private-key", start: match.index, end: match.index + match[0].length });
  }
  return findings;
}

function endOfKey(text: string, bodyStart: number): number {
  // Each search stops at the next run of dashes, so that the total time stays linear.
  const dashes = text.indexOf("----", bodyStart);
  if (dashes >= 0 && dashes - bodyStart <= LONGEST_BODY) {
    const footerEnd = endOf(FOOTER, text, dashes);
    if (footerEnd !== undefined) return footerEnd;
  }
  let end = bodyStart;
  for (let next = endOf(BODY_LINE, text, end); next !== undefined; next = endOf(BODY_LINE, text, end)) {
    end = next;
  }
  return end === bodyStart ? end : (endOf(LAST_LINE, text, end) ?? end);
}

function endOf(sticky: RegExp, text: string, at: number): number | undefined {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : undefined;
}
