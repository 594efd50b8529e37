import { type InstalledPackages, ModuleResolver } from "../imports/module-resolver.ts";
import { fileKind, isTryout } from "../reading/file-kind.ts";
import type { ScriptParser } from "../reading/parse-script.ts";
import type { SourceTree } from "../source-tree.ts";
import { type ApiFacts, noFacts } from "./api-facts.ts";
import type { ApiCall, Endpoint } from "./endpoint.ts";
import { fileEndpoints, filePath } from "./file-routes.ts";
import { MountedRoutes } from "./mounted-routes.ts";
import { isOpenApi, openApiEndpoints } from "./openapi.ts";
import { apiFactsIn, mayCall, mayHaveApi, mayServe } from "./script-facts.ts";
import { callSegments } from "./url-path.ts";

/** Only the project's own files matter here. */
const everything: InstalledPackages = { hasPackage: () => true };

/** The facts of one file: about an API, and endpoints that are not routes. */
interface FileFacts {
  readonly facts: ApiFacts;
  readonly endpoints: readonly Endpoint[];
  readonly unread: boolean;
}

/** A scan of another tree, and the files in which that tree differs. */
interface Known {
  readonly scan: ApiScan;
  readonly changed: ReadonlySet<string>;
}

const nothing: FileFacts = { facts: noFacts, endpoints: [], unread: false };

/** The endpoints and calls in the files of one tree that were read. Tests and mocks are left out. */
export class ApiScan {
  readonly #tree: SourceTree;
  readonly #parser: ScriptParser;
  readonly #known: Known | undefined;
  readonly #files = new Map<string, FileFacts>();
  #resolver: ModuleResolver | undefined;
  #endpoints: readonly Endpoint[] = [];

  constructor(tree: SourceTree, parser: ScriptParser, known?: Known) {
    this.#tree = tree;
    this.#parser = parser;
    this.#known = known;
  }

  /** Reads these files, both for endpoints and for calls. */
  async read(paths: Iterable<string>): Promise<void> {
    for (const path of paths) this.#keep(path, await this.#read(path, mayHaveApi));
  }

  /** Reads all files that serve something, and with `calls` also all that call something. */
  async readAll({ calls }: { readonly calls: boolean }): Promise<void> {
    const paths = this.#tree.paths().filter((path) => fileKind(path) !== undefined && !isTryout(path));
    this.#tree.load(paths);
    const mayMatter = (text: string) => mayServe(text) || (calls && mayCall(text));
    const earlier = new Map(this.#files);
    this.#files.clear();
    for (const path of paths)
      this.#keep(path, earlier.get(path) ?? this.#same(path) ?? (await this.#read(path, mayMatter)));
    const listed = [...this.#files.values()].flatMap(({ endpoints }) => endpoints);
    const routed = new MountedRoutes([...this.#files.keys()], {
      of: (path) => this.#factsOf(path),
      resolve: (specifier, from) => this.#fileOf(specifier, from),
    });
    this.#endpoints = [...listed, ...routed.endpoints()];
  }

  #keep(path: string, found: FileFacts): void {
    if (found !== nothing) this.#files.set(path, found);
  }

  /** The other scan's result for a file that is the same in both trees. */
  #same(path: string): FileFacts | undefined {
    if (this.#known === undefined || this.#known.changed.has(path)) return undefined;
    return this.#known.scan.#files.get(path) ?? nothing;
  }

  get endpoints(): readonly Endpoint[] {
    return this.#endpoints;
  }

  /** The places of routes whose paths cannot be read: in a script, or because of an unsupported framework. */
  get unreadable(): string[] {
    const routes = [...this.#files].flatMap(([path, { facts }]) =>
      facts.unreadable.map((line) => `${path}:${line}`),
    );
    return [...routes, ...otherFrameworks(this.#tree)];
  }

  /** Files that may serve or call something, but cannot be parsed. */
  get unread(): string[] {
    return [...this.#files].flatMap(([path, { unread }]) => (unread ? [path] : []));
  }

  /** True for a file whose endpoints and calls can be read. */
  reads(path: string): boolean {
    return fileKind(path) !== undefined && !isTryout(path) && this.#tree.text(path) !== undefined;
  }

  /** Files that have to do with what is served. */
  isServer(path: string): boolean {
    const { facts, endpoints } = this.#files.get(path) ?? nothing;
    return (
      endpoints.length > 0 ||
      facts.routes.length > 0 ||
      facts.mounts.length > 0 ||
      facts.unreadable.length > 0
    );
  }

  /** True for a file that serves or calls something, or may do so but cannot be parsed. */
  concerns(path: string): boolean {
    const { facts, unread } = this.#files.get(path) ?? nothing;
    return this.isServer(path) || facts.calls.length > 0 || unread;
  }

  callers(): string[] {
    return [...this.#files].flatMap(([path, { facts }]) => (facts.calls.length > 0 ? [path] : []));
  }

  /** The calls of a file to the project's own server, as far as known. */
  calls(path: string): ApiCall[] {
    const { calls } = (this.#files.get(path) ?? nothing).facts;
    return calls.flatMap(({ method, url, line, client, mustBeMade }) => {
      const base = client === undefined ? undefined : this.#baseOf(client, path);
      if (mustBeMade && base === undefined) return [];
      const isWhole = base === undefined || base === "" || /^(?:[a-z]+:)?\/\/|^[\uE000-\uE002]/i.test(url);
      const segments = callSegments(isWhole ? url : `${base}/${url}`);
      return segments === undefined ? [] : [{ method, segments, path, line }];
    });
  }

  /** The prefix of a client's calls. The client is created in this file or in the module that it is imported from. */
  #baseOf(client: string, path: string): string | undefined {
    const { clients, imports } = this.#factsOf(path);
    const specifier = imports.get(client);
    if (clients.has(client) || specifier === undefined) return clients.get(client);
    const file = this.#fileOf(specifier, path);
    const made = file === undefined ? [] : [...this.#factsOf(file).clients.values()];
    return made.length === 1 ? made[0] : undefined;
  }

  #fileOf(specifier: string, from: string): string | undefined {
    this.#resolver ??= new ModuleResolver(this.#tree, everything);
    const found = this.#resolver.resolve(specifier, from);
    return found.kind === "file" ? found.path : undefined;
  }

  /** Also for scripts that were skipped, because others import through them. */
  #factsOf(path: string): ApiFacts {
    const known = this.#files.get(path);
    if (known !== undefined) return known.facts;
    const text = fileKind(path) === "script" && !isTryout(path) ? this.#tree.text(path) : undefined;
    const found = text === undefined ? nothing : this.#readScript(path, text);
    this.#files.set(path, found);
    return found.facts;
  }

  async #read(path: string, mayMatter: (text: string) => boolean): Promise<FileFacts> {
    const kind = fileKind(path);
    if (kind === undefined || isTryout(path)) return nothing;
    const text = this.#tree.text(path);
    if (text === undefined) return nothing;
    if (kind === "script")
      return filePath(path) !== undefined || mayMatter(text) ? this.#readScript(path, text) : nothing;
    if (!isOpenApi(path, text)) return nothing;
    const endpoints = await openApiEndpoints(path, text);
    return { facts: noFacts, endpoints: endpoints ?? [], unread: endpoints === undefined };
  }

  #readScript(path: string, text: string): FileFacts {
    const parsed = this.#parser.parse(path, text);
    if ("fault" in parsed) return { ...nothing, unread: true };
    const facts = apiFactsIn(parsed.program);
    if (facts === undefined) return { ...nothing, unread: true };
    return { facts, endpoints: fileEndpoints(path, parsed.program), unread: false };
  }
}

const frameworks =
  /"(@nestjs\/core|@remix-run\/node|@react-router\/node|@sveltejs\/kit|nuxt|nitropack|h3|astro|@feathersjs\/feathers|@adonisjs\/core|sails|@loopback\/rest|@solidjs\/start|@tanstack\/react-start|@redwoodjs\/core)"\s*:\s*"/g;

/** Frameworks named in a package.json whose routes are not supported here. */
function otherFrameworks(tree: SourceTree): string[] {
  const files = tree.paths().filter((path) => /(?:^|\/)package\.json$/.test(path) && !isTryout(path));
  tree.load(files);
  return files.flatMap((path) =>
    [...(tree.text(path) ?? "").matchAll(frameworks)].map((match) => `${match[1]} in ${path}`),
  );
}
