/**
 * Where a client keeps what it knows, and what of it an agent's client has. In the sandbox the client writes to
 * folders of the agent's own in the place of these; everything that is not named here is thrown away with them.
 */
export interface ClientHome {
  /** The client's name. */
  readonly name: string;
  /** The first one holds the conversations. */
  readonly folders: readonly HomeFolder[];
  /** Elsewhere: absolute paths that the client reads, and the agent may not write. */
  readonly shows: readonly string[];
  readonly conversation: ConversationFile | ConversationExport;
}

/** All names are relative to the path. */
interface HomeFolder {
  readonly path: string;
  /** What the client obeys, as the person has it: read-only. */
  readonly shows: readonly string[];
  /** Files that the client insists on writing: copied at every start, and never back. */
  readonly copies: readonly string[];
  /** Files whose refreshed values go back while the client runs: a refresh may end what the person has. */
  readonly logins: readonly Login[];
  /** What stays from one start to the next, so that a conversation can be resumed; it does not go back. */
  readonly keeps: readonly string[];
}

export interface Login {
  /** A JSON document. */
  readonly file: string;
  /** The values that a refresh changes, by their keys; `*` is every key. */
  readonly values: readonly (readonly string[])[];
}

/** One conversation, in the checkout that it was held in. */
export interface ConversationName {
  readonly id: string;
  readonly checkout: string;
}

/** A conversation that is one file. It goes back to a person who takes the task over, and nothing else does. */
export interface ConversationFile {
  /** The folder below `root` with the conversations of a checkout. */
  folder(root: string, name: ConversationName): string;
  /** The file below that folder; `*` is any text without a slash. */
  file(id: string): string;
  /** A file in that folder, without which the client does not find it, and its text. */
  mark?(name: ConversationName): readonly [file: string, text: string];
  /** False where the lines belong to another conversation, or would be listed for another project. */
  accepts(lines: readonly unknown[], name: ConversationName): boolean;
}

/** A conversation in a database, which the client reads in the sandbox and writes outside of it. */
export interface ConversationExport {
  /** Prints the conversation as JSON. */
  readonly print: (id: string) => readonly string[];
  /** Takes it in from a file, with these variables beside the person's. */
  readonly take: (file: string) => readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The document without what the client obeys; undefined where it is of another conversation. */
  cleaned(document: unknown, name: ConversationName): unknown;
}
