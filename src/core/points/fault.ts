/** An error in a document, and the field that has it. */
export interface Fault {
  readonly error: string;
  readonly field: string;
  /** Further errors in the same document. */
  readonly more?: readonly Fault[];
}

export function isFault(read: object): read is Fault {
  return "error" in read && "field" in read;
}

/** All error messages in order, at most one per field. */
export function problemsOf(fault: Fault): readonly string[] {
  const byField = new Map<string, string>();
  for (const { error, field } of flat(fault)) if (!byField.has(field)) byField.set(field, error);
  return [...byField.values()];
}

function flat({ error, field, more = [] }: Fault): readonly Fault[] {
  return [{ error, field }, ...more.flatMap(flat)];
}

/** Combines faults into one; undefined if the list is empty. */
export function joinFaults(faults: readonly Fault[]): Fault | undefined {
  const [first, ...more] = faults.flatMap(flat);
  return first === undefined || more.length === 0 ? first : { ...first, more };
}

type Parts<Read extends Readonly<Record<string, object>>> = {
  readonly [Name in keyof Read]: Exclude<Read[Name], Fault>;
};

/** The parts of a document, or one fault with the errors of all parts. */
export function allOf<Read extends Readonly<Record<string, object>>>(read: Read): Parts<Read> | Fault {
  return joinFaults(Object.values(read).filter(isFault)) ?? (read as Parts<Read>);
}
