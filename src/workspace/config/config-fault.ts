/** Something in a configuration file that a person has to mend. */
export interface ConfigFault {
  /** Relative to the project's root. */
  readonly file: string;
  /** From 1; undefined where the file as a whole is meant. */
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** The key that is meant, such as `limits.tokens.warn`; empty for the file as a whole. */
  readonly path: string;
  readonly problem: string;
  readonly expected: string;
  readonly suggestion?: string;
}

export function wholeFileFault(file: string, problem: string, expected: string): ConfigFault {
  return { file, line: undefined, column: undefined, path: "", problem, expected };
}

/** Where, what is wrong, and what to write instead. */
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

/** What a terminal would act on, or show in another order, is spelled out. */
function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
