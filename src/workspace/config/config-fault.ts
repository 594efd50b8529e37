/** An error in a configuration file that the user has to fix. */
export interface ConfigFault {
  /** Relative to the project's root. */
  readonly file: string;
  /** From 1; undefined for the file as a whole. */
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** The key, such as `limits.tokens.warn`; empty for the file as a whole. */
  readonly path: string;
  readonly problem: string;
  readonly expected: string;
  readonly suggestion?: string;
}

export function wholeFileFault(file: string, problem: string, expected: string): ConfigFault {
  return { file, line: undefined, column: undefined, path: "", problem, expected };
}

/** The place, the problem, and what to write instead. */
export function faultParts({ file, line, column, problem, expected, suggestion }: ConfigFault) {
  return {
    place: visible(line === undefined ? file : `${file}:${line}:${column}`),
    problem: visible(problem),
    remedy: visible(suggestion === undefined ? `expected ${expected}` : `did you mean \`${suggestion}\`?`),
  };
}

/** A fault as one line. */
export function faultLine(fault: ConfigFault): string {
  const { place, problem, remedy } = faultParts(fault);
  return `${place}: ${problem}: ${remedy}`;
}

/** Escapes control characters and characters that change the order of the text on a terminal. */
function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
