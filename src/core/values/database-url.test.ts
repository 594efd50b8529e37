import { describe, expect, it } from "vitest";
import { readDatabaseUrl } from "./database-url.ts";

describe("the URL of a database", () => {
  it.each<[string, string, string]>([
    ["postgres://ada@db:5433/shop?sslmode=require", "postgres://ada@db:5433/shop", "?sslmode=require"],
    ["postgresql://db/shop", "postgresql://db/shop", ""],
    ["postgres:///shop?host=/run/pg&user=ada%40corp", "postgres:///shop", "?host=/run/pg&user=ada%40corp"],
  ])("%s has no password", (text, place, options) => {
    expect(readDatabaseUrl(text)).toEqual({ hasPassword: false, place, bare: place + options });
  });

  it.each([
    "postgres://ada:hunter2@db/shop",
    "postgres://:hunter2@db/shop",
    "postgres://ada:hun%2Fter2@db/shop?password=hunter2",
    "postgres://ada:hunter2@one,other/shop",
    "postgres://ada@db/shop?password=hunter2",
    "postgres://ada@db/shop?pass%77ord=hunter2",
    "postgres://ada@db/shop?PASSWORD=hunter2&sslpassword=hunter2",
    "postgres:///shop?host=db&password=hunter2&password=hunter2",
  ])("%s has a password, which neither a message nor a file shows", (text) => {
    const read = readDatabaseUrl(text);
    expect(read?.hasPassword).toBe(true);
    expect(`${read?.place} ${read?.bare}`).not.toMatch(/hun|ter2/);
  });

  it.each([
    "postgres://ada:1234#hunter2@db/shop",
    "postgres://ada:1234/hunter2@db/shop",
    "postgres://ada:12?hunter2@db/shop",
    "postgres://ada:hunter2@db/shop#x",
    "postgres://ada:hunter2@one:1,other:2/shop",
    "mysql://ada:hunter2@db/shop",
    "hunter2",
  ])("%s is not such a URL", (text) => {
    expect(readDatabaseUrl(text)).toBeUndefined();
  });
});
