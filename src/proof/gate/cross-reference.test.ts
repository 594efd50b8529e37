import { describe, expect, it } from "vitest";
import { checkCrossReferences } from "./cross-reference.ts";
import { type Files, mergeOf } from "./source-tree.test-support.ts";

type Edits = Record<string, string | null>;
const findingsOf = async (base: Files, edits: Edits) => {
  const { result, findings } = await checkCrossReferences(mergeOf(base, edits));
  return result === "not_configured"
    ? result
    : findings.map(({ path, line, message }) => `${path}:${line} ${message}`);
};
/** The calls of a client that a server refuses. */
const refused = async (server: Files, calls: readonly string[]) => {
  const text = calls.map((call) => `${call};`).join("\n");
  const { findings } = await checkCrossReferences(mergeOf(server, { "web/client.ts": text }));
  return findings.map(({ line = 0 }) => calls[line - 1]);
};

describe("an endpoint", () => {
  it.each<[string, Files, string[], string[]]>([
    [
      "of an OpenAPI document",
      {
        "api.yaml":
          'openapi: "3.1.0"\npaths:\n  /api/users/{id}:\n    get: {}\n    put: {}\n  /api/all:\n    $ref: other.yaml\n',
      },
      ["fetch(`/api/users/${id}`)", "axios.put(`/api/users/${id}`)", 'axios.patch("/api/all")'],
      ["axios.delete(`/api/users/${id}`)", 'fetch("/api/users")', 'fetch("/api/user/1")'],
    ],
    [
      "of an OpenAPI document in JSON, below its servers",
      {
        "docs/openapi.json":
          '{"openapi": "3.0.0", "servers": [{"url": "https://x.io/v1/"}], "paths": {"/users": {"get": {}}}}',
      },
      ['fetch("/v1/users")', 'fetch("/users")'],
      ['fetch("/v1/posts")', 'axios.post("/users")'],
    ],
    [
      "of Swagger 2",
      { "swagger.json": '{"swagger": "2.0", "basePath": "/api", "paths": {"/users": {"get": {}}}}' },
      ['fetch("/api/users")'],
      ['fetch("/api/posts")'],
    ],
    [
      "of an Express app",
      {
        "server.js":
          'app.get("/api/users", list); app.post("/api/users/:id", (q, s) => 1); app.get("*", page)',
      },
      [
        'fetch("/api/users")',
        "axios.post(`/api/users/${id}`)",
        'fetch("/API/users/")',
        'fetch("/api/users?x=1")',
      ],
      ['axios.post("/api/users")', 'fetch("/api/posts")'],
    ],
    [
      "of a router that another file mounts",
      {
        "server/app.ts":
          'import users from "./routes/users"; import { posts } from "./routes";\nconst app = express(); app.use("/api/users", check, users); app.use("/api", posts)',
        "server/routes/users.ts":
          'const router = Router(); router.get("/", h); router.get("/:id", h); export default router',
        "server/routes/index.ts": 'export { posts } from "./posts"',
        "server/routes/posts.ts": 'export const posts = Router(); posts.get("/posts", h)',
      },
      ['fetch("/api/users")', 'fetch("/api/users/1")', 'fetch("/api/posts")'],
      ['fetch("/api/users/1/2")', 'fetch("/api/posts/1")', 'fetch("/api")'],
    ],
    [
      "of routers within routers",
      {
        "app.js": 'const app = express(); app.use("/api", require("./v1").router)',
        "v1.js":
          'const router = Router(); const inner = Router(); inner.get("/deep", h); router.use("/v1", inner); router.use("/other", require("./other")); module.exports = { router }',
        "other.js": 'const router = Router(); router.get("/x", h); module.exports = router',
      },
      ['fetch("/api/v1/deep")', 'fetch("/api/other/x")'],
      ['fetch("/api/deep")', 'fetch("/api/x")', 'fetch("/api/v1/x")'],
    ],
    [
      "of routers that one module passes on by name",
      {
        "app.js":
          'const routes = require("./routes"); app.use("/api/users", routes.users); app.use("/api/posts", await routes.posts.start())',
        "routes/index.js":
          'const users = require("./users"); const posts = require("./posts"); module.exports = { users, posts }',
        "routes/users.js": 'router.get("/a", h)',
        "routes/posts.js":
          'async function start() { router.use("/in", require("./deep")); return router } module.exports = { start }',
        "routes/deep.js": 'router.get("/b", h)',
      },
      ['fetch("/api/users/a")', 'fetch("/api/posts/in/b")'],
      ['fetch("/api/posts/a")', 'fetch("/api/users/in/b")'],
    ],
    [
      "of Fastify's plugins",
      {
        "app.ts":
          'import users from "./users"; fastify.register(users, { prefix: "/api/users" });\nfastify.register(async (f) => { f.get("/a", h); f.register(async (g) => { g.get("/b", h) }, { prefix: "/in" }) }, { prefix: "/api" })',
        "users.ts": 'export default async function users(fastify) { fastify.get("/:id", h) }',
      },
      ['fetch("/api/users/1")', 'fetch("/api/a")', 'fetch("/api/in/b")'],
      ['fetch("/api/b")', 'fetch("/api/in/a")'],
    ],
    [
      "of Koa and Hono with prefixes of their own",
      {
        "koa.js": 'const router = new Router({ prefix: "/api/k" }); router.get("/a", h)',
        "hono.ts": 'const api = new Hono().basePath("/api/h"); api.get("/a", (c) => 1)',
      },
      ['fetch("/api/k/a")', 'fetch("/api/h/a")'],
      ['fetch("/api/a")'],
    ],
    [
      "of Next.js",
      {
        "src/app/api/users/[id]/route.ts":
          "export async function GET() {} export const { POST, PUT } = handlers",
        "src/app/(group)/api/health/route.ts": "export { GET } from './x'",
        "apps/web/app/api/auth/[...all]/route.ts": "export default 1",
        "pages/api/old/index.ts": "export default h",
        "pages/api/old/[id].ts": "export default h",
      },
      [
        "fetch(`/api/users/${id}`)",
        "axios.put(`/api/users/${id}`)",
        'fetch("/api/health")',
        'axios.post("/api/auth/a/b")',
        'fetch("/api/old")',
        'axios.post("/api/old/1")',
      ],
      [
        "axios.delete(`/api/users/${id}`)",
        'fetch("/api/users")',
        'axios.post("/api/health")',
        'fetch("/api/old/1/2")',
      ],
    ],
    [
      "with an unreadable path",
      {
        "app.js":
          'import { auth } from "auth-lib"; app.use("/api/auth", auth()); app.get("/api/users", h); app.use("/api", limiter())',
      },
      ['axios.post("/api/auth/sign-in/x")', 'fetch("/api/users")'],
      ['fetch("/api/other")'],
    ],
    [
      "below a path that is known only later",
      { "app.js": 'app.get(`${base}/users`, h); app.get("/api/x", h)' },
      ['fetch("/api/v2/users")', 'fetch("/api/users")'],
      ['fetch("/api/posts")'],
    ],
  ])("%s", async (_, server, served, unserved) => {
    expect(await refused(server, [...served, ...unserved])).toEqual(unserved);
  });
});

describe("a call", () => {
  const server = { "server.js": 'app.get("/api/users", h); app.get("/api/users/:id", h)' };
  it.each([
    ['fetch("/api/userz")', true],
    ['fetch("http://localhost:3000/api/userz")', true],
    ["fetch(`${origin}/api/userz`)", true],
    ["fetch(`${API_URL}/api/userz`)", true],
    ["fetch(`${process.env.NEXT_PUBLIC_API_URL}/api/userz`)", true],
    ["fetch(`${location.origin}/api/userz`)", true],
    ["fetch(`${apiUrl}/api/userz`)", true],
    ["fetch(`${baseUrl}/api/userz`)", false],
    ["fetch(`${settings.apiUrl}/api/userz`)", false],
    ["fetch(`${slack}/api/userz`)", false],
    ['const api = axios.create({ baseURL: "/api" }); api.get("/userz")', true],
    ['const api = axios.create({ baseURL: "/api" }); api.get("/users")', false],
    ['const api = axios.create({ baseURL: env.API }); api.get("/userz")', false],
    ['import { client } from "sdk"; client.get("/api/userz")', false],
    ['axios.get("/api/userz")', true],
    ['this.http.get("/api/userz")', true],
    ['fetch("https://example.com/api/userz")', false],
    ['fetch("/assets/logo.svg")', false],
    ["fetch(url)", false],
    ["fetch(`/api/${path}`)", false],
    ["fetch(`/api/users${query}`)", false],
    ['"/api/userz"', false],
  ])("%s is refused: %s", async (call, expected) => {
    expect((await refused(server, [call])).length > 0).toBe(expected);
  });

  it("through a client of another module begins with the base URL of that client", async () => {
    const base = { ...server, "web/http.ts": 'export const http = axios.create({ baseURL: "/api" })' };
    const calls = 'import { http } from "./http";\nhttp.get("/users");\nhttp.get("/userz")';
    expect(await findingsOf(base, { "web/page.ts": calls })).toEqual([
      "web/page.ts:3 calls `GET /api/userz`, which no endpoint serves: the nearest is `GET /api/users` of server.js:1",
    ]);
  });

  it.each([
    'fetch("/api/users")',
    "fetch(`${API_URL}/api/users`)",
    'ofetch("api/users")',
    '$.get("api/users")',
    'import { http } from "./http"; http.get("users")',
    'import { userApi } from "./http"; userApi.get("users")',
    'new Request("/api/users")',
    'useFetch("/api/users")',
    'ky("/api/users")',
    'axios({ url: "/api/users" })',
    '$.ajax({ url: "/api/users" })',
    'jQuery.get("/api/users")',
    'superagent.get("/api/users")',
    'this.$http.get("/api/users")',
    'const mine = got.extend({ prefixUrl: "/api" }); mine.get("users")',
    'const userApi = axios.create({ baseURL: "/api" }); userApi.get("/users")',
  ])("%s is found in an unchanged file", async (call) => {
    const made = { "web/http.ts": 'export const http = axios.create({ baseURL: "/api" })' };
    const base = { ...server, ...made, "web/page.ts": call };
    const found = await findingsOf(base, { "server.js": 'app.get("/api/x", h)' });
    expect(found).toHaveLength(1);
  });

  it("in a test is ignored", async () => {
    expect(
      await findingsOf(server, {
        "web/page.test.ts": 'fetch("/api/nope")',
        "e2e/x.ts": 'fetch("/api/nope")',
      }),
    ).toEqual([]);
    expect(
      await findingsOf(server, {
        "web/page.ts": 'fetch("/api/nope")',
        "mocks/server.ts": 'app.get("/api/nope", h)',
      }),
    ).toHaveLength(1);
  });
});

describe("the cross-reference check", () => {
  const server = 'app.get("/api/users", h);\napp.post("/api/posts", h)';
  const base = { "server.js": server, "web/a.ts": 'fetch("/api/users")', "web/old.ts": 'fetch("/api/gone")' };

  it("names both places", async () => {
    expect(await findingsOf(base, { "web/b.ts": '\nfetch("/api/posts")' })).toEqual([
      "web/b.ts:2 calls `GET /api/posts`, which no endpoint serves: server.js:2 serves that path only for POST",
    ]);
    expect(await findingsOf(base, { "web/b.ts": 'fetch("/api/usrs")' })).toEqual([
      "web/b.ts:1 calls `GET /api/usrs`, which no endpoint serves: the nearest is `GET /api/users` of server.js:1",
    ]);
  });

  it("finds calls in unchanged files that a changed server no longer serves, but no earlier faults", async () => {
    const renamed = { "server.js": server.replace("/api/users", "/api/people") };
    expect(await findingsOf(base, renamed)).toEqual([
      "web/a.ts:1 calls `GET /api/users`, which no endpoint serves: `GET /api/users` of server.js:1 was removed by this change",
    ]);
    const { note } = await checkCrossReferences(mergeOf(base, renamed));
    expect(note).toBe(
      "2 calls were compared with 2 endpoints; served by nothing before: 1 call (web/old.ts:1)",
    );
    expect(await findingsOf(base, { "server.js": null })).toHaveLength(1);
  });

  it("ignores unchanged files if only clients changed", async () => {
    expect(await findingsOf(base, { "web/b.ts": "1" })).toEqual([]);
    expect(await findingsOf(base, { "web/old.ts": 'fetch("/api/gone"); 1' })).toHaveLength(1);
  });

  it("is routed to the task that calls and the task that removed the endpoint", async () => {
    const merge = mergeOf(
      base,
      { "server.js": null, "web/b.ts": 'fetch("/api/users")' },
      { "server.js": "T-1", "web/b.ts": "T-2" },
    );
    const { findings, route, result } = await checkCrossReferences(merge);
    expect([result, route]).toEqual(["fail", "origin"]);
    expect(findings.map(({ path, tasks }) => [path, tasks])).toEqual([
      ["web/a.ts", ["T-1"]],
      ["web/b.ts", ["T-1", "T-2"]],
    ]);
  });

  it.each<[string, Record<string, string | null>, string[]]>([
    ["the changed file", { "web/b.ts": "new Map().get(1)" }, ["web/b.ts"]],
    ["the changed file", { "web/b.test.ts": 'fetch("/api/users")' }, []],
    ["all", { "web/b.ts": 'fetch("/api/users")' }, ["server.js", "web/a.ts", "web/b.ts", "web/old.ts"]],
    ["all", { "web/a.ts": null }, ["server.js", "web/a.ts", "web/old.ts"]],
  ])("reads %s for %j", async (_, edits, expected) => {
    const merge = mergeOf(base, edits);
    const texts = new Set<string>();
    const watched = (tree: typeof merge.base) => ({
      ...tree,
      text: (path: string) => {
        texts.add(path);
        return tree.text(path);
      },
    });
    await checkCrossReferences({ ...merge, base: watched(merge.base), result: watched(merge.result) });
    expect([...texts].toSorted()).toEqual(expected);
  });

  it("has nothing to do if no changed file serves or calls an API", async () => {
    const { result, note } = await checkCrossReferences(mergeOf(base, { "web/b.ts": "1" }));
    expect([result, note]).toEqual(["pass", "no changed file that was read serves or calls an API"]);
  });

  it.each<[string, Edits, string]>([
    ["skipped", { "server.py": "@app.get('/api/x')" }, ": .py (1) ("],
    ["skipped", { "web/a.test.ts": 'fetch("/api/x")' }, ": .ts (1) ("],
    ["skipped", { "old.py": null }, ""],
    ["pass", { "server.py": "@app.get('/api/x')", "web/b.ts": "1" }, ": .py (1) ("],
  ])("is %s for %j", async (expected, edits, part) => {
    const { result, note } = await checkCrossReferences(mergeOf({ ...base, "old.py": "" }, edits));
    expect(result).toBe(expected);
    expect(note).toContain(part);
  });

  it("is not configured if no endpoint is known", async () => {
    expect(await findingsOf({}, { "web/b.ts": 'fetch("/api/x")' })).toBe("not_configured");
    expect(await findingsOf({ "server.py": "@app.get('/api/x')" }, { "web/b.ts": 'fetch("/api/x")' })).toBe(
      "not_configured",
    );
  });

  it("does not fail if a route with an unreadable path might serve the call, and reports that", async () => {
    const { result, note } = await checkCrossReferences(
      mergeOf(
        { "server.js": 'app.get(routes.all, h); app.get("/api/a", h)' },
        { "web/b.ts": 'fetch("/api/b")' },
      ),
    );
    expect(result).toBe("skipped");
    expect(note).toContain(
      "served by nothing, unless by 1 route (server.js:1) whose path cannot be read: 1 call (web/b.ts:1)",
    );
  });

  it("does not fail if an unsupported framework might serve the call, and reports that", async () => {
    const base = {
      "package.json": '{"dependencies":{"@nestjs/core":"11"}}',
      "server.js": 'app.get("/api/a", h)',
    };
    const { result, note } = await checkCrossReferences(mergeOf(base, { "web/b.ts": 'fetch("/api/b")' }));
    expect(result).toBe("skipped");
    expect(note).toContain("@nestjs/core in package.json");
  });

  it("does not mistake a lookup for a route", async () => {
    const base = { "server.js": 'app.get("/api/a", h); session.get(ids, (error) => 1)' };
    expect(await findingsOf(base, { "web/b.ts": 'fetch("/api/b")' })).toHaveLength(1);
  });

  it("reports what it could not parse", async () => {
    const merge = mergeOf({ ...base, "api.yaml": "openapi: 3.0.0\n  x: [" }, { "web/b.ts": "fetch(" });
    expect((await checkCrossReferences(merge)).note).toContain(
      "not checked: 2 files (api.yaml, web/b.ts) (does not parse)",
    );
  });
});
