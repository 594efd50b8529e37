import { describe, expect, it } from "vitest";
import { report } from "../recorder.test-support.ts";

describe("A command that may end Lockstep's processes or a client is refused", () => {
  it.each([
    ["kill 123", ""],
    ["kill -9 123 456", ""],
    ["kill -TERM -123", ""],
    ["kill 1", "refuse lockstep"],
    ["kill -s KILL -- -1", "refuse lockstep"],
    ["kill -0 1", ""],
    ["kill -l", ""],
    ["kill node", "refuse lockstep"],
    ["pkill vite", ""],
    ["pkill -KILL vite", ""],
    ["pkill -STOP node", "refuse lockstep"],
    ["pkill -f 'node server.js'", ""],
    ["pkill -f 'node|vite'", "refuse lockstep"],
    ["pkill -f 'vite|webpack'", ""],
    ["pkill -f '(vite|next)( dev)?'", "refuse lockstep"],
    ["pkill -f '(vite|next) dev'", ""],
    ["pkill -f '[n]ode'", "refuse lockstep"],
    ["pkill --ful lockstep.cjs", "refuse lockstep"],
    ["pkill NODE", "refuse lockstep"],
    ["pkill $U", "refuse lockstep"],
    ["pkill -u root vite", ""],
    ["pkill -u root", "refuse lockstep"],
    ["pkill -P 123", ""],
    ["pkill -P 1", "refuse lockstep"],
    ["killall vite", ""],
    ["killall -s KILL vite", ""],
    ["killall vite node", "refuse lockstep"],
    ["killall -r 'v.te'", ""],
    ["killall -r 'n.de'", "refuse lockstep"],
    ["killall $U", "refuse lockstep"],
    ["killall -l", ""],
    ["fuser 3000/tcp", ""],
    ["fuser -k 3000/tcp 3001/udp", ""],
    ["fuser -k -KILL 3000/tcp", ""],
    ["fuser -k src", "refuse lockstep"],
    ["taskkill /IM node.exe /F", "refuse lockstep"],
    ["taskkill /PID 123", ""],
  ])("%s", (line, expected) => {
    expect(report(line)).toBe(expected);
  });

  it("treats a pattern that is slow to match as a match", () => {
    expect(report(`pkill -f '${"(a*)*".repeat(20)}$'`)).toBe("refuse lockstep");
    expect(report(`pkill -f '${"a".repeat(300)}'`)).toBe("refuse lockstep");
    expect(report("pkill -f '['")).toBe("refuse lockstep");
  });
});
