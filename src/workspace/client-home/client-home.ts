/**
 * The folders in which a client keeps its state, and the parts of them that an agent gets. In the sandbox the client
 * writes to the agent's own folders instead. Everything that is not named here is deleted with those.
 */
export interface ClientHome {
  /** The client's name. */
  readonly name: string;
  /** The first folder holds the conversations. */
  readonly folders: readonly HomeFolder[];
  /** Absolute paths outside these folders that the client reads; read-only for the agent. */
  readonly shows: readonly string[];
  readonly conversation: ConversationFile | ConversationExport;
}

/** All names are relative to the path. */
interface HomeFolder {
  readonly path: string;
  /** The user's settings and instructions for the client; read-only. */
  readonly shows: readonly string[];
  /** Files that the client has to write: copied from the user at every start, never back. */
  readonly copies: readonly string[];
  /** Files whose refreshed values are copied back while the client runs, because a refresh can invalidate the user's. */
  readonly logins: readonly Login[];
  /** Names that are kept between starts, so that a conversation can be resumed; never copied back. */
  readonly keeps: readonly string[];
}

export interface Login {
  /** A JSON document. */
  readonly file: string;
  /** The key paths of the values that a refresh changes; `*` is every key. */
  readonly values: readonly (readonly string[])[];
}

/** A conversation and its checkout. */
export interface ConversationName {
  readonly id: string;
  readonly checkout: string;
}

/** A conversation in one file. It is the only thing that a user who takes over the task gets from the agent's home. */
export interface ConversationFile {
  /** The folder below `root` with the conversations of a checkout. */
  folder(root: string, name: ConversationName): string;
  /** The file below that folder; `*` is any text without a slash. */
  file(id: string): string;
  /** A file in that folder that the client needs to find the conversation, and its text. */
  mark?(name: ConversationName): readonly [file: string, text: string];
  /** False if the lines belong to another conversation, or would be listed for another project. */
  accepts(lines: readonly unknown[], name: ConversationName): boolean;
}

/** A conversation in a database. The client exports it in the sandbox and imports it outside. */
export interface ConversationExport {
  /** The command that prints the conversation as JSON. */
  readonly print: (id: string) => readonly string[];
  /** The command that imports it from a file. */
  readonly take: (file: string) => readonly string[];
  /** Variables for the import, in addition to the user's. */
  readonly env: Readonly<Record<string, string>>;
  /** The document without settings that the client would follow; undefined if it is another conversation. */
  cleaned(document: unknown, name: ConversationName): unknown;
}
