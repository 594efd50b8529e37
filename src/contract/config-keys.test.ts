import { describe, expect, it } from "vitest";
import { configSchema } from "./config.ts";
import { type ConfigKey, configKeys } from "./config-keys.ts";

const keys = configKeys();
const withInner = (key: ConfigKey): readonly ConfigKey[] => [key, ...key.keys.flatMap(withInner)];
const all = keys.flatMap(withInner);

describe("the keys of the configuration", () => {
  it("are complete", () => {
    expect(keys.map(({ name }) => name)).toEqual(Object.keys(configSchema.def.shape));
    expect(all.length).toBeGreaterThan(100);
  });

  it("each have a meaning and a type", () => {
    expect(all.filter(({ meaning }) => meaning.length < 8).map(({ name }) => name)).toEqual([]);
    expect(all.filter(({ type }) => /any|undefined|object|^$/.test(type)).map(({ name }) => name)).toEqual(
      [],
    );
  });

  it.each(keys.map((key) => [key.name, key.example] as const))("%s: has a valid example", (name, example) => {
    expect(example).toBeDefined();
    const agents = keys.find((key) => key.name === "agents")?.example;
    const { error } = configSchema.safeParse({ agents, [name]: example });
    expect(error?.issues).toBeUndefined();
  });

  it("show their default values", () => {
    const limits = keys.find(({ name }) => name === "limits");
    expect(limits?.keys.find(({ name }) => name === "max_parallel")).toMatchObject({
      ...{ value: 4, type: "whole number", meaning: "maximum number of tasks in progress" },
    });
    expect(limits?.keys.find(({ name }) => name === "tokens")).toMatchObject({
      keys: [
        { name: "warn", value: 35_000 },
        { name: "halt", value: 50_000 },
      ],
    });
  });
});
