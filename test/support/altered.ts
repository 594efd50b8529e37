/** A copy of a document with some fields changed, by their dotted paths; `undefined` removes the field. */
export function altered<Document>(document: Document, changes: Readonly<Record<string, unknown>>): Document {
  const copy = structuredClone(document);
  for (const [path, value] of Object.entries(changes)) {
    const names = path.split(".");
    const last = names.pop() as string;
    let at = copy as Record<string, unknown>;
    for (const name of names) at = at[name] as Record<string, unknown>;
    if (value === undefined) delete at[last];
    else at[last] = value;
  }
  return copy;
}
