import { afterEach, beforeEach } from "vitest";
import { type StrayGround, strayGround } from "./stray-ground.ts";

/** A separate ground for each test of the file. */
export function eachStrayGround(): Omit<StrayGround, typeof Symbol.dispose> {
  let ground: StrayGround;
  beforeEach(async () => {
    ground = await strayGround();
  });
  afterEach(() => ground[Symbol.dispose]());
  return {
    get repository() {
      return ground.repository;
    },
    at: (path) => ground.at(path),
    text: (path) => ground.text(path),
    status: () => ground.status(),
    mcp: (input, more) => ground.mcp(input, more),
    said: (payload, options) => ground.said(payload, options),
    calls: (act, payload, options) => ground.calls(act, payload, options),
    strayed: () => ground.strayed(),
  };
}
