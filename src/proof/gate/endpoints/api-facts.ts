/** What one script serves and calls of an API. */
export interface ApiFacts {
  readonly routes: readonly Route[];
  readonly mounts: readonly Mount[];
  readonly calls: readonly ClientCall[];
  /** Router name to the prefix of its routes. */
  readonly routers: ReadonlyMap<string, string>;
  /** Client name to the prefix of its calls. */
  readonly clients: ReadonlyMap<string, string>;
  /** Imported or re-exported name to its module. */
  readonly imports: ReadonlyMap<string, string>;
  /** All modules that it imports or re-exports. */
  readonly specifiers: readonly string[];
  /** Function name to its position. */
  readonly functions: ReadonlyMap<string, Range>;
  /** Lines of routes whose path cannot be read. */
  readonly unreadable: readonly number[];
}

/** From and to offsets in the text. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface Route {
  /** Upper-case; undefined: all methods. */
  readonly method: string | undefined;
  /** With gaps. */
  readonly path: string;
  readonly receiver: string;
  readonly start: number;
  readonly line: number;
}

/** `app.use("/api", users)`: something mounted below a path. */
export interface Mount {
  readonly prefix: string;
  readonly receiver: string;
  readonly start: number;
  readonly line: number;
  readonly targets: readonly MountTarget[];
}

export type MountTarget =
  /** `member`: what is taken out of it, as in `routes.users`. */
  | { readonly name: string; readonly member?: string }
  | { readonly specifier: string }
  | { readonly range: Range };

export interface ClientCall {
  /** Upper-case; undefined if unknown. */
  readonly method: string | undefined;
  /** With gaps. */
  readonly url: string;
  readonly line: number;
  /** The name of the client that makes it. */
  readonly client: string | undefined;
  /** The name is ambiguous: the call counts only if this project created the client. */
  readonly mustBeMade: boolean;
}

export const noFacts: ApiFacts = {
  routes: [],
  mounts: [],
  calls: [],
  routers: new Map(),
  clients: new Map(),
  imports: new Map(),
  specifiers: [],
  functions: new Map(),
  unreadable: [],
};
