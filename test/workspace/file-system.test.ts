import { statfsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { networkFileSystem, networkFileSystemOfType } from "../../src/workspace/files/file-system.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("the type of a file system", () => {
  it.each<[string, number | bigint, string | undefined]>([
    ["NFS", 0x6969, "NFS"],
    ["SMB", 0x517b, "SMB"],
    ["CIFS", 0xff534d42, "CIFS"],
    ["CIFS as a signed number", 0xff534d42 | 0, "CIFS"],
    ["CIFS extended to 64 bits", 0xffffffffff534d42n, "CIFS"],
    ["CIFS as a negative bigint", BigInt(0xff534d42 | 0), "CIFS"],
    ["SMB2", 0xfe534d42, "SMB2"],
    ["SMB2 as a signed number", -28_095_166, "SMB2"],
    ["9P", 0x01021997, "9P"],
    ["AFS", 0x5346414f, "AFS"],
    ["the kernel's AFS", 0x6b414653, "AFS"],
    ["Ceph", 0x00c36400, "Ceph"],
    ["Coda", 0x73757245, "Coda"],
    ["a shared folder of a virtual machine", 0x786f4256, "VirtualBox shared folder"],
    ["ext4", 0xef53, undefined],
    ["btrfs, as a signed number", 0x9123683e | 0, undefined],
    ["tmpfs, which has nearly the number of 9P", 0x01021994, undefined],
    ["overlayfs", 0x794c7630, undefined],
    ["FUSE", 0x65735546, undefined],
    ["APFS on macOS", 26, undefined],
    ["nothing", 0, undefined],
  ])("of %s", (_, type, name) => {
    expect(networkFileSystemOfType(type)).toBe(name);
  });
});

describe("a path", () => {
  const types: Readonly<Record<string, number>> = {
    "/": 0xef53,
    "/mnt/away": 0x6969,
    "/mnt/away/disk": 0xef53,
  };
  it.each<[string, string | undefined]>([
    ["/mnt/away", "NFS"],
    ["/mnt/away/not/yet/there", "NFS"],
    ["/mnt/away/disk/new", undefined],
    ["/mnt", undefined],
    ["/", undefined],
  ])("%s is on the disk of its deepest existing part", (path, name) => {
    expect(networkFileSystem(path, (asked) => types[asked])).toBe(name);
  });

  it("on a disk of unknown type is not on a network", () => {
    expect(networkFileSystem("/a/b", () => undefined)).toBeUndefined();
  });

  it.each(["", "no/such/folder", "a/below/a/file"])(
    "%j in a real folder is on that folder's disk",
    (below) => {
      using folder = temporaryFolder({ a: "x" });
      const { type } = statfsSync(folder.path);
      expect(networkFileSystem(join(folder.path, below))).toBe(networkFileSystemOfType(type));
    },
  );
});
