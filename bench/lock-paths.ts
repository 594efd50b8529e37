/**
 * Paths like those that tasks lock. Each is a function of its number, so that a million need not be stored and a
 * question about one uses new strings. Only the last segment contains the number, so no two locks overlap.
 */
const tops = ["src", "packages", "apps", "services", "libs", "tests", "docs", "tools"];
const words = (
  "account adapter admin agent alert api app archive asset audit auth backup badge batch billing board bridge " +
  "bucket budget build cache calendar cart catalog channel chart checkout client cluster comment common config " +
  "contact content core coupon customer dashboard data delivery design device discount domain driver editor email " +
  "engine entity error event export feature feed field file filter form gateway graph group hook image import " +
  "index input inventory invoice job journal label layout ledger library link list locale log login market media " +
  "member menu message metric model module monitor network note notice order page panel parser payment plan player " +
  "policy portal price print process product profile project provider queue quota rating reader record refund region " +
  "release report request review role route rule runtime sales schema score screen search section server session " +
  "setting shape share shipment signal site socket source stage state stock storage store stream style subject sync " +
  "table target task tax team template tenant theme ticket token tool tracker trial upload user vendor version video " +
  "view wallet widget worker workflow zone"
).split(" ");
const extensions = [".ts", ".tsx", ".py", ".go", ".rs", ".test.ts", ".md", ".sql"];

/** The folders above the file: a few at the top, most four to six levels deep. */
const folderDepths = [2, 3, 3, 3, 4, 4, 4, 5, 5, 6];
const fanOut = [tops.length, 12, 16, 16, 16, 16];
const locksPerFolder = 12;
const folderShare = 8; // every eighth lock is a folder, every eighth of those a `dir/**`

/** The folder of the lock with this number. Adjacent numbers share one, like the files of a task. */
export function folderOf(number: number): string {
  let rest = Math.floor(number / locksPerFolder);
  const depth = folderDepths[mix(rest) % folderDepths.length] ?? 0;
  const segments: string[] = [];
  for (const names of fanOut.slice(0, depth)) {
    const list = segments.length === 0 ? tops : words;
    segments.push(list[(segments.length * 37 + (rest % names)) % list.length] ?? "");
    rest = Math.floor(rest / names);
  }
  return segments.join("/");
}

/** The lock itself, in the form of an assignment. */
export function lockOf(number: number): string {
  const path = `${folderOf(number)}/${nameOf(number)}`;
  return number % (folderShare * 8) === 0 ? `${path}/**` : path;
}

/** A file at or below the lock with this number. */
export function fileOf(number: number): string {
  return `${folderOf(number)}/${nameOf(number)}${isFolder(number) ? "/index.ts" : ""}`;
}

/** A free path next to the lock with this number: a miss that is found only at its last segment. */
export function freeOf(number: number): string {
  return `${folderOf(number)}/free-${nameOf(number)}`;
}

function nameOf(number: number): string {
  const word = words[mix(number + 0x51ed27) % words.length];
  const extension = isFolder(number) ? "" : extensions[mix(number + 0x2c1b3c) % extensions.length];
  return `${word}-${number.toString(36)}${extension}`;
}

function isFolder(number: number): boolean {
  return number % folderShare === 0;
}

/** A 32-bit finalizer (murmur3): adjacent numbers become distant ones. */
function mix(value: number): number {
  let mixed = value >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
