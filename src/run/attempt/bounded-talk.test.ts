import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../clients/agent.ts";
import { KnownSecrets } from "../../workspace/checkouts/known-secrets.ts";
import { BoundedTalk } from "./bounded-talk.ts";

const line = "x".repeat(1023);

/** Passes lines on, masked one by one. */
function passedOn(lines: readonly string[]) {
  const events: AgentEvent[] = [];
  const secrets = new KnownSecrets();
  const talk = new BoundedTalk((event) => events.push(event));
  for (const text of lines) talk.see({ type: "said", text });
  const during = events.length;
  talk.end();
  const texts = events.flatMap((event) => (event.type === "said" && event.text !== "" ? event.text : []));
  return { during, texts: texts.map((text) => secrets.maskLine("S/T", text)) };
}

describe("an agent's output", () => {
  it("is passed on as it arrives, in its order with other events", () => {
    const events: AgentEvent[] = [];
    const talk = new BoundedTalk((event) => events.push(event));
    const said: AgentEvent[] = [
      { type: "said", text: "a" },
      { type: "usage", tokens: 3 },
      { type: "said", text: "" },
    ];
    for (const event of said) talk.see(event);
    talk.end();
    expect(events).toEqual(said);
  });

  it("keeps its beginning and end if it is too long, and each line still counts as a sign of life", () => {
    const lines = Array.from({ length: 4000 }, (_one, at) => `${at} ${line.slice(String(at).length + 1)}`);
    const { during, texts } = passedOn(lines);
    expect(during).toBe(4000);
    expect(texts.length).toBeLessThan(1100);
    expect(texts.slice(0, 2)).toEqual(lines.slice(0, 2));
    expect(texts.at(-1)).toBe(lines.at(-1));
    const notes = texts.filter((text) => text.startsWith("("));
    expect(notes).toEqual([
      "(too much output: only the end of the rest is kept)",
      "(2976 lines, 2.9 MB, left out)",
    ]);
  });

  it.each([
    ["begins in the omitted part", 2000, undefined, "[secret: private-key]"],
    ["ends in the omitted part", 10, 2000, line],
    ["begins and ends in the omitted part", 1000, 2000, line],
  ])("is masked correctly at its end if a private key %s", (_what, begins, ends, last) => {
    const lines = Array.from({ length: 4000 }, (_one, at) => {
      if (at === begins) return "-----BEGIN PRIVATE KEY-----";
      return at === ends ? "-----END PRIVATE KEY-----" : line;
    });
    expect(passedOn(lines).texts.at(-1)).toBe(last);
  });
});
