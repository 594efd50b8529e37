import { describe, expect, it } from "vitest";
import { scriptParser } from "../reading/parse-script.ts";
import { noFacts } from "./api-facts.ts";
import { apiFactsIn } from "./script-facts.ts";
import { gap, serverGap, wideGap } from "./url-path.ts";

const { parse } = await scriptParser();
const facts = (text: string) => {
  const result = parse("a.ts", text);
  if ("fault" in result) throw new Error(result.fault.message);
  return apiFactsIn(result.program) ?? noFacts;
};
const shown = (text: string) =>
  text.replaceAll(wideGap, "**").replaceAll(gap, "*").replaceAll(serverGap, "@");

describe("the routes of a script", () => {
  const factsOf = (text: string) =>
    facts(text).routes.map(({ method, path, receiver }) => `${receiver} ${method ?? "any"} ${shown(path)}`);
  it.each([
    ['app.get("/users/:id", (request) => 1)', ["app GET /users/:id"]],
    ['app.post("/users", check, create)', ["app POST /users"]],
    [
      'app.all("/x", h); app.del("/y", h); app.delete("/z", users.remove)',
      ["app any /x", "app DELETE /y", "app DELETE /z"],
    ],
    ["app.get(`/users`, h)", ["app GET /users"]],
    ['app.get(["/a", "/b"], h)', ["app GET /a", "app GET /b"]],
    [
      'const base = "/api"; app.get(`${base}/users`, h); app.get(base + "/posts", h)',
      ["app GET /api/users", "app GET /api/posts"],
    ],
    ["app.get(`${prefix}/users`, h)", ["app GET */users"]],
    ['const users = express.Router(); users.get("/", h)', ["users GET /"]],
    [
      'const x = new Hono().basePath("/api"); x.get("/a", c => 1).post("/b", c => 2)',
      ["x POST /b", "x GET /a"],
    ],
    ['this.router.get("/a", this.handle)', ["router GET /a"]],
    ['app.route("/books").get(list).post(check, add)', ["app POST /books", "app GET /books"]],
    ['fastify.route({ method: ["GET", "HEAD"], url: "/a", handler })', ["fastify GET /a", "fastify HEAD /a"]],
    ['server.route({ method: "POST", path: "/a", handler() {} })', ["server POST /a"]],
    ['fastify.get("/a", { schema, handler: h })', ["fastify GET /a"]],
    ['fastify.get("/a", { schema }, async () => 1)', ["fastify GET /a"]],
    ['router.get("list", "/users", h)', ["router GET /users"]],
    ['other.get("/x", async (c) => 1)', ["other GET /x"]],
    ['x.register(async (f) => { f.get("/a", h) })', ["f GET /a"]],
    ['function add(to: FastifyInstance) { to.get("/a", h) }', ["to GET /a"]],
    ['app.get("title"); app.get("/x")', []],
    ['cache.get("/x", key); map.get("/x")', []],
    ['import { http } from "msw"; http.get("/x", () => 1)', []],
    ["app.get(routes.users, h); app.get(/^\\/x/, h)", []],
  ])("%s", (text, expected) => {
    expect(factsOf(text)).toEqual(expected);
  });

  it("with unreadable paths are counted", () => {
    expect(facts("app.get(routes.users, h)\n\napp.get(/^x/, h)").unreadable).toEqual([1, 3]);
  });
});

describe("what a script mounts", () => {
  const factsOf = (text: string) =>
    facts(text).mounts.map(({ prefix, targets }) => {
      const named = targets.map((one) =>
        "name" in one
          ? [one.name, one.member].join(".").replace(/\.$/, "")
          : "specifier" in one
            ? one.specifier
            : "function",
      );
      return `${shown(prefix)}: ${named.join(" ")}`;
    });
  it.each([
    ['app.use("/api", users)', ["/api: users"]],
    ['app.use("/api", check(), users.routes())', ["/api: check users.routes"]],
    ['app.use("/api", require("./users"))', ["/api: ./users"]],
    ["app.use(users)", [": users"]],
    ['app.lazyUse("/api", require("./users"))', ["/api: ./users"]],
    ['const api = "/api"; app.use(api, users)', ["/api: users"]],
    ['app.route("/api", users)', ["/api: users"]],
    ['fastify.register(users, { prefix: "/api" })', ["/api: users"]],
    ['fastify.register(import("./users"), { prefix: "/api" })', ["/api: ./users"]],
    ['fastify.register(async (f) => {}, { prefix: "/api" })', ["/api: function"]],
    ["app.use(`${base}/api`, users)", ["*/api: users"]],
    ["other.use(users)", []],
  ])("%s", (text, expected) => {
    expect(factsOf(text)).toEqual(expected);
  });
});

describe("the calls of a script", () => {
  const factsOf = (text: string) =>
    facts(text).calls.map(({ method, url, client }) => `${client}: ${method ?? "any"} ${shown(url)}`);
  it.each([
    ['fetch("/api/users")', ["fetch: GET /api/users"]],
    ["fetch(`/api/users/${id}`)", ["fetch: GET /api/users/*"]],
    ["fetch(`/api/${encodeURIComponent(x)}`)", ["fetch: GET /api/*"]],
    ["fetch(`/api/${path}`)", ["fetch: GET /api/**"]],
    ['fetch("/api/users/" + user.id + "/posts")', ["fetch: GET /api/users/*/posts"]],
    [
      'const API = "/api"; fetch(API + "/users"); fetch(`${API}/posts`)',
      ["fetch: GET /api/users", "fetch: GET /api/posts"],
    ],
    ['fetch("/x", { method: "post" })', ["fetch: POST /x"]],
    ['fetch("/x", { method })', ["fetch: any /x"]],
    ['fetch("/x", { ...options })', ["fetch: any /x"]],
    ['fetch("/x", options)', ["fetch: any /x"]],
    ['fetch("/x", { headers })', ["fetch: GET /x"]],
    ['window.fetch("/x"); new Request("/y", { method: "PUT" })', ["window: GET /x", "Request: PUT /y"]],
    ['fetch(new URL("/x", base))', ["fetch: GET /x"]],
    ['axios.get<User>("/x"); axios.delete(`/x/${id}`)', ["axios: GET /x", "axios: DELETE /x/*"]],
    [
      'axios({ url: "/x", method: "post" }); axios.request({ url: "/y" })',
      ["axios: POST /x", "axios: GET /y"],
    ],
    ['axios("/x")', ["axios: GET /x"]],
    ['const backend = axios.create({ baseURL: "/api" }); backend.post("/x", data)', ["backend: POST /x"]],
    ['this.http.get("/x"); apiClient.patch("/y", data)', ["http: GET /x", "apiClient: PATCH /y"]],
    ['$.ajax({ url: "/x", type: "POST" })', ["$: POST /x"]],
    ['api.get("/x", (c) => c)', []],
    ['$.get("/x", (data) => data); http.get("/y", (answer) => 1)', ["$: GET /x", "http: GET /y"]],
    ['import { http } from "msw"; http.get("/x", () => 1)', []],
    ['cache.get("/x"); params.get("y"); fetch()', []],
    ['function f() { const API = "/a" } fetch(API + "/x")', ["fetch: GET @/x"]],
  ])("%s", (text, expected) => {
    expect(factsOf(text)).toEqual(expected);
  });

  it("begin with the base URL of their client", () => {
    const { clients } = facts(
      'const a = axios.create({ baseURL: "/api" }); const b = ky.extend({ prefixUrl: given })',
    );
    expect([...clients].map(([name, base]) => `${name} ${shown(base)}`)).toEqual(["a /api", "b *"]);
  });
});
