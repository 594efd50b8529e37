import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { Connection } from "../../src/ledger/postgres/connection.ts";
import { migrate } from "../../src/ledger/postgres/migrations.ts";
import { type GitDaemon, gitDaemon } from "../../test/support/git-daemon.ts";
import { PostgresServer } from "../../test/support/postgres-server.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { Machine } from "./machine.ts";
import { type PlanSize, writeProject } from "./project.ts";

/** A PostgreSQL server, a bare repository behind a git daemon, and machines. */
export interface Ground extends AsyncDisposable {
  readonly folder: string;
  readonly server: PostgresServer;
  readonly machines: readonly Machine[];
  /** Git in the bare repository. */
  git(...words: string[]): string;
}

interface Size extends PlanSize {
  readonly machines: number;
}

export async function openGround({ machines: count, ...plan }: Size, random: () => number): Promise<Ground> {
  const folder = temporaryFolder();
  chmodSync(folder.path, 0o711);
  const server = await PostgresServer.create(join(folder.path, "server"));
  await server.query("postgres", "CREATE DATABASE ledger");
  const connection = await Connection.open({ url: server.url("ledger") });
  await migrate(connection, { lockstep: "0.1.0", machine: "machine" });
  connection.close();
  await server.query("ledger", "ALTER ROLE machine LOGIN");
  const { remote, git } = openRemote(folder, plan, random);
  const daemon = await gitDaemon(join(folder.path, "host"));
  const machines: Machine[] = [];
  for (let number = 1; number <= count; number += 1)
    machines.push(await machineOf(number, { folder, server, daemon, remote }));
  return {
    ...{ folder: folder.path, server, machines, git },
    [Symbol.asyncDispose]: async () => {
      for (const machine of machines) await machine[Symbol.asyncDispose]();
      await daemon[Symbol.asyncDispose]();
      server.stop("immediate");
      folder[Symbol.dispose]();
    },
  };
}

function openRemote(folder: TemporaryFolder, plan: PlanSize, random: () => number) {
  const source = join(folder.path, "source");
  const remote = join(folder.path, "host", "remote.git");
  folder.write("source/.keep", "");
  writeProject(source, plan, random);
  execFileSync("git", ["clone", "-q", "--bare", source, remote]);
  const person = ["-c", "user.name=person", "-c", "user.email=person@localhost"];
  const git = (...words: string[]) =>
    execFileSync("git", [...person, ...words], {
      ...{ cwd: remote, encoding: "utf8", maxBuffer: 64 * 1024 * 1024, stdio: ["ignore", "pipe", "pipe"] },
    }).trim();
  return { remote, git };
}

interface Place {
  readonly folder: TemporaryFolder;
  readonly server: PostgresServer;
  readonly daemon: GitDaemon;
  readonly remote: string;
}

/** The first machine has the plan and runs it; the others are workers. */
async function machineOf(number: number, { folder, server, daemon, remote }: Place): Promise<Machine> {
  const name = `m${number}`;
  const own = join(folder.path, name);
  const cwd = join(own, "clone");
  const ports = { database: server.port, remote: daemon.port };
  const words = number === 1 ? () => ["run"] : (url: string) => ["worker", "--repo", url, "--slots", "2"];
  const machine = await Machine.create({ name, folder: own, cwd, ports, words });
  execFileSync("git", ["clone", "-q", remote, cwd]);
  execFileSync("git", ["remote", "set-url", "origin", machine.remote], { cwd });
  return machine;
}
