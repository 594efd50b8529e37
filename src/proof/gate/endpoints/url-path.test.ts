import { describe, expect, it } from "vitest";
import { callSegments, gap, routeSegments, serverGap, serves, shownPath, wideGap } from "./url-path.ts";

/** `*` for a gap, `**` for a wide one and `@` for the server's address, to keep the tables readable. */
const url = (text: string) => text.replaceAll("**", wideGap).replaceAll("*", gap).replaceAll("@", serverGap);

describe("a client's URL", () => {
  it.each([
    ["/api/users", "/api/users"],
    ["/api/users/", "/api/users"],
    ["/api/users?page=1#top", "/api/users"],
    ["/api/users/*", "/api/users/*"],
    ["/api/users/*?x=*", "/api/users/*"],
    ["@/api/users", "/api/users"],
    ["*/api/users", undefined],
    ["**/api/users", undefined],
    ["http://localhost:3000/api", "/api"],
    ["http://127.0.0.1/api", "/api"],
    ["https://@/api", "/api"],
    ["https://@:*/api", "/api"],
    ["https://*.example.com/api", undefined],
    ["api/users", "/api/users"],
    ["/", "/"],
    ["https://example.com/api", undefined],
    ["//example.com/api", undefined],
    ["*", undefined],
    ["*api", undefined],
    ["./data.json", undefined],
    ["data:text/plain,x", undefined],
    ["blob:*", undefined],
  ])("%s", (text, expected) => {
    const segments = callSegments(url(text));
    expect(segments && shownPath(segments)).toBe(expected);
  });
});

describe("a route", () => {
  it.each([
    ["/users", "/users/", true],
    ["/users", "/Users", true],
    ["/users", "/user", false],
    ["/users", "/users/1", false],
    ["/users/:id", "/users/1", true],
    ["/users/:id", "/users/*", true],
    ["/users/:id", "/users", false],
    ["/users/:id(\\d+)", "/users/*", true],
    ["/users/{id}", "/users/*", true],
    ["/users/:id?", "/users", true],
    ["/users/:id?", "/users/1", true],
    ["/users{/:id}", "/users", true],
    ["/users{/:id}", "/users/1", true],
    ["/users/:id?/posts", "/users/posts", true],
    ["/a{/b}{/c}/d", "/a/c/d", true],
    ["/a{/b}{/c}/d", "/a/x/d", false],
    ["/files/:name.:ext", "/files/a.txt", true],
    ["/files/:name.pdf", "/files/a.txt", false],
    ["/files/:name.pdf", "/files/*.pdf", true],
    ["/api/*", "/api/a/b/c", true],
    ["/api/*splat", "/api/a/b", true],
    ["/api/{*splat}", "/api", true],
    ["/api/:rest*", "/api/a/b", true],
    ["/api/(.*)", "/other", false],
    ["/users/me", "/users/*", true],
    ["/users/me/posts", "/users/*", false],
    ["/users", "/users*", true],
    ["/users/:id/posts", "/users*", true],
    ["/usage", "/users*", false],
    ["/api/v1/users", "/api/**", true],
    ["/api", "/api/**", false],
    ["/api/v1/users/:id", "/api/**/1", true],
    ["", "/", true],
    ["/", "/x", false],
  ])("%s and the call %s: %s", (route, call, expected) => {
    const called = callSegments(url(call)) ?? [];
    expect(routeSegments(route).some((endpoint) => serves(endpoint, called))).toBe(expected);
  });

  it("is compared in bounded time", () => {
    const [endpoint = []] = routeSegments("/*/a".repeat(40));
    expect(serves(endpoint, [...Array.from({ length: 31 }, () => "a"), "b"])).toBe(true);
    expect(routeSegments("{/a}".repeat(40))).toHaveLength(16);
    expect(callSegments("/a".repeat(40))).toBeUndefined();
    expect(callSegments(url("/**/a/**/a/**/a/**"))).toBeUndefined();
  });

  it("that begins with a gap may have any beginning", () => {
    const [endpoint = []] = routeSegments(`${gap}/users/:id`);
    expect(serves(endpoint, ["api", "v1", "users", "7"])).toBe(true);
    expect(serves(endpoint, ["users", "7"])).toBe(true);
    expect(serves(endpoint, ["api", "posts", "7"])).toBe(false);
  });
});
