import { statfsSync } from "node:fs";
import { dirname } from "node:path";

/**
 * File systems that several machines write to, by the number that Linux's statfs gives each of them. SQLite's locks
 * and its shared memory do not hold across machines. The folders that a virtual machine's host lends count too.
 *
 * FUSE (0x65735546) is not here: under that one number come sshfs, and also encrypted homes, NTFS disks and the
 * folders of containers, all of one machine. Refusing it would refuse many for few.
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

/** The type of the file system that an existing path lies on. */
type TypeAt = (path: string) => number | bigint | undefined;

/** The name of the network file system that a path lies on, or would lie on; undefined where it is none we know. */
export function networkFileSystem(path: string, typeAt: TypeAt = askDisk): string | undefined {
  const type = typeAt(path);
  if (type !== undefined) return networkFileSystemOfType(type);
  // What exists but cannot be looked at cannot be opened either, and opening it tells why.
  return path === dirname(path) ? undefined : networkFileSystem(dirname(path), typeAt);
}

/** Numbers from 0x80000000 up come as negative ones where the machine's word has 32 bits. */
export function networkFileSystemOfType(type: number | bigint): string | undefined {
  return networkFileSystems.get(Number(BigInt.asUintN(32, BigInt(type))));
}

/** As a bigint: a 32-bit number that was extended to 64 bits with its sign loses its end as a plain number. */
function askDisk(path: string): bigint | undefined {
  try {
    return statfsSync(path, { bigint: true }).type;
  } catch {
    return undefined;
  }
}
