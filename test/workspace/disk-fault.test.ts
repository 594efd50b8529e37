import { describe, expect, it } from "vitest";
import { faultVerdict } from "../../src/cli/output/verdicts.ts";
import { asDiskFault } from "../../src/workspace/files/disk-fault.ts";

/** An error of the system as Node throws it. */
function systemError(code: string, syscall: string, path?: string): Error {
  const named = path === undefined ? {} : { path };
  return Object.assign(new Error(`${code}: told by the system, ${syscall}`), {
    code,
    errno: -1,
    syscall,
    ...named,
  });
}

describe("an error of the system", () => {
  it.each<[string, Error, string | undefined]>([
    [
      "with a path",
      systemError("EACCES", "open", "/a"),
      "cannot open `/a`: permission denied; give yourself",
    ],
    [
      "of write(2), which names no file",
      systemError("ENOSPC", "write"),
      "cannot write: the disk is full; free some",
    ],
    [
      "of fsync(2)",
      systemError("EDQUOT", "fsync"),
      "cannot fsync: the disk quota is used up; free some space",
    ],
    ["that is not the disk's", systemError("EACCES", "listen"), undefined],
    ["of a process", systemError("EPERM", "kill"), undefined],
    ["that has no remedy", systemError("EIO", "read", "/a"), undefined],
  ])("%s is told with the next step if the disk refused", (_, error, told) => {
    const fault = asDiskFault(error);
    expect(fault?.message).toEqual(told && expect.stringContaining(told));
    expect(faultVerdict(error).code).toBe(told === undefined ? "E-INTERNAL" : "E-STORE");
  });
});
