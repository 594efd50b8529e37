/** Where a document is not of the form it should have. */
export interface Fault {
  readonly error: string;
  readonly field: string;
  /** What else is wrong with it. */
  readonly more?: readonly Fault[];
}

export function isFault(read: object): read is Fault {
  return "error" in read && "field" in read;
}

/** All problems, in order; one for each field. */
export function problemsOf(fault: Fault): readonly string[] {
  const byField = new Map<string, string>();
  for (const { error, field } of flat(fault)) if (!byField.has(field)) byField.set(field, error);
  return [...byField.values()];
}

function flat({ error, field, more = [] }: Fault): readonly Fault[] {
  return [{ error, field }, ...more.flatMap(flat)];
}

/** One fault that holds all of them; undefined where there is none. */
export function joinFaults(faults: readonly Fault[]): Fault | undefined {
  const [first, ...more] = faults.flatMap(flat);
  return first === undefined || more.length === 0 ? first : { ...first, more };
}

type Parts<Read extends Readonly<Record<string, object>>> = {
  readonly [Name in keyof Read]: Exclude<Read[Name], Fault>;
};

/** The parts of a document that were read one by one, or everything that is wrong with any of them. */
export function allOf<Read extends Readonly<Record<string, object>>>(read: Read): Parts<Read> | Fault {
  return joinFaults(Object.values(read).filter(isFault)) ?? (read as Parts<Read>);
}
