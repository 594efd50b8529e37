type Sqlite = typeof import("node:sqlite");

/**
 * Node 22 says on standard error that its SQLite is experimental, once it is loaded; a hook's standard error is
 * read by agents. All other warnings pass.
 */
export function loadSqlite(): Sqlite {
  const { emitWarning } = process;
  const quiet = (...args: Parameters<typeof emitWarning>) => {
    if (!/^SQLite is an experimental feature/.test(String(args[0])))
      Reflect.apply(emitWarning, process, args);
  };
  process.emitWarning = quiet as typeof emitWarning;
  try {
    return process.getBuiltinModule("node:sqlite") as Sqlite;
  } finally {
    process.emitWarning = emitWarning;
  }
}
