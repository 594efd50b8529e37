import { describe, expect, it } from "vitest";
import { readOnlyWrite } from "./read-only-write.ts";

describe("a write to a read-only place", () => {
  it.each([
    ["Error: EROFS: read-only file system, mkdir '/home/me/.app'", "/home/me/.app"],
    ["sh: 1: cannot create /home/me/.app: Read-only file system", "/home/me/.app"],
    ["touch: cannot touch '/home/me/.app': Read-only file system", "/home/me/.app"],
    ["OSError: [Errno 30] Read-only file system: '/home/me/.app'", "/home/me/.app"],
    ["open /home/me/.app: read-only file system", "/home/me/.app"],
    ["java.io.FileNotFoundException: /home/me/.app (Read-only file system)", "/home/me/.app"],
    ["Os { code: 30, kind: ReadOnlyFilesystem }", null],
  ])("%s", (line, place) => {
    expect(readOnlyWrite(`start\n${line}\nend 1/2\n`)).toEqual({ place });
  });

  it.each(["1 failing: rounds", "EACCES: permission denied, open '/home/me/.app'", "read-only field `id`"])(
    "is not %s",
    (line) => expect(readOnlyWrite(line)).toBeUndefined(),
  );
});
