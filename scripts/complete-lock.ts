import { readFileSync, writeFileSync } from "node:fs";

/**
 * A registry without the packages of every platform omits them from the lock file, and `npm ci` then refuses it. This
 * adds the missing ones: with name, version and platform, npm can skip them here and fetch them where they belong. Run
 * it after changing dependencies.
 */
interface Locked {
  readonly version: string;
  readonly dev?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const file = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, Locked> };
const systems = [
  "aix",
  "android",
  "darwin",
  "freebsd",
  "linux",
  "netbsd",
  "openbsd",
  "openharmony",
  "sunos",
  "win32",
];
const processors = [
  "arm64",
  "arm",
  "ia32",
  "loong64",
  "mips64el",
  "ppc64",
  "riscv64",
  "s390x",
  "wasm32",
  "x64",
];

const missing = new Map<string, { version: string; dev: boolean }>();
for (const { optionalDependencies = {}, dev } of Object.values(lock.packages))
  for (const [name, range] of Object.entries(optionalDependencies))
    if (lock.packages[`node_modules/${name}`] === undefined)
      missing.set(name, { version: range.replace(/^[\^~]/, ""), dev: dev === true });

for (const [name, { version, dev }] of missing) {
  const words = name.split(/[/-]/);
  const os = systems.filter(
    (system) => words.includes(system) || (name === "fsevents" && system === "darwin"),
  );
  const cpu = processors.filter((processor) => words.includes(processor));
  const libc = words.some((word) => word.startsWith("musl")) ? ["musl"] : [];
  Object.assign(lock.packages, {
    [`node_modules/${name}`]: {
      version,
      ...(cpu.length > 0 ? { cpu } : {}),
      ...(dev ? { dev } : {}),
      ...(libc.length > 0 ? { libc } : {}),
      optional: true,
      ...(os.length > 0 ? { os } : {}),
    },
  });
}

const sorted = Object.fromEntries(Object.entries(lock.packages).toSorted(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify({ ...lock, packages: sorted }, null, 2)}\n`);
console.log(`${missing.size} packages added to package-lock.json`);
