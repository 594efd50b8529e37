/** What one script says of an API, on either side of it. */
export interface ApiFacts {
  readonly routes: readonly Route[];
  readonly mounts: readonly Mount[];
  readonly calls: readonly ClientCall[];
  /** What a router's routes all begin with, by the router's name. */
  readonly routers: ReadonlyMap<string, string>;
  /** What a client's calls all begin with, by the client's name. */
  readonly clients: ReadonlyMap<string, string>;
  /** Which module a name comes from, or is passed on from. */
  readonly imports: ReadonlyMap<string, string>;
  /** All modules that it imports or passes on. */
  readonly specifiers: readonly string[];
  /** Where a function of that name stands. */
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
  /** Upper-case; nothing for all of them. */
  readonly method: string | undefined;
  /** With gaps. */
  readonly path: string;
  readonly receiver: string;
  readonly start: number;
  readonly line: number;
}

/** `app.use("/api", users)`: what is put below a path. */
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
  /** Upper-case; nothing where it cannot be seen. */
  readonly method: string | undefined;
  /** With gaps. */
  readonly url: string;
  readonly line: number;
  /** The name of the client that makes it. */
  readonly client: string | undefined;
  /** The name says little: it counts only if this project made the client. */
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
