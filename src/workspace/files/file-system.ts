import { statfsSync } from "node:fs";
import { dirname } from "node:path";

/**
 * File systems that several machines can write to, by their number in Linux's statfs. SQLite's locks and its shared
 * memory do not work across machines. Folders that a virtual machine shares with its host count too.
 *
 * FUSE (0x65735546) is left out: besides sshfs, encrypted homes, NTFS disks and the folders of containers have this
 * number, and these belong to one machine. Most users with FUSE would be refused without need.
 */
const networkFileSystems: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"], // the old smbfs
  [0xff534d42, "CIFS"], // SMB 1
  [0xfe534d42, "SMB2"], // SMB 2 and 3
  [0x01021997, "9P"], // Windows disks in WSL 2, folders of QEMU's host
  [0x5346414f, "AFS"], // OpenAFS
  [0x6b414653, "AFS"], // the kernel's own client
  [0x00c36400, "Ceph"],
  [0x73757245, "Coda"],
  [0x564c, "NCP"], // Novell
  [0x0bd00bd0, "Lustre"],
  [0x47504653, "GPFS"], // IBM Storage Scale
  [0x19830326, "BeeGFS"],
  [0x20030528, "OrangeFS"],
  [0xaad7aaea, "PanFS"],
  [0x013111a8, "IBRIX"],
  [0xbeefdead, "StorNext"],
  [0x61636673, "ACFS"], // Oracle, one disk for a cluster
  [0x01161970, "GFS2"], // Red Hat, one disk for a cluster
  [0x7461636f, "OCFS2"], // Oracle, one disk for a cluster
  [0x786f4256, "VirtualBox shared folder"],
  [0xbacbacbc, "VMware shared folder"],
  [0x7c7c6673, "Parallels shared folder"],
]);

/** The file system type of an existing path. */
type TypeAt = (path: string) => number | bigint | undefined;

/** The name of the network file system that a path is, or would be, on; undefined for any other file system. */
export function networkFileSystem(path: string, typeAt: TypeAt = askDisk): string | undefined {
  const type = typeAt(path);
  if (type !== undefined) return networkFileSystemOfType(type);
  // A path that exists but cannot be inspected cannot be opened either, and opening it reports the cause.
  return path === dirname(path) ? undefined : networkFileSystem(dirname(path), typeAt);
}

/** On 32-bit machines, numbers from 0x80000000 are negative. */
export function networkFileSystemOfType(type: number | bigint): string | undefined {
  return networkFileSystems.get(Number(BigInt.asUintN(32, BigInt(type))));
}

/** As a bigint: a sign-extended 64-bit value does not fit a plain number. */
function askDisk(path: string): bigint | undefined {
  try {
    return statfsSync(path, { bigint: true }).type;
  } catch {
    return undefined;
  }
}
