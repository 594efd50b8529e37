import { describe, expect, it } from "vitest";
import { latinWords } from "./slugs.ts";

describe("a text in plain letters", () => {
  it.each<[string, string]>([
    ["Größe ändern über Öl", "groesse aendern ueber oel"],
    ["Cafe\u0301 crème à la carte", "cafe creme a la carte"],
    ["a\u0308rger in parts", "aerger in parts"],
    ["Smørrebrød på Åland, Łódź", "smoerrebroed paa aaland lodz"],
    ["ÇA VA? niño; İzmir", "ca va nino izmir"],
    ["ﬁle № 12", "file no 12"],
    ["価格 👍", ""],
  ])("%s is %s", (text, words) => {
    expect(latinWords(text).join(" ")).toBe(words);
  });
});
