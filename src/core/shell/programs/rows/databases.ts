import { known } from "../../text.ts";
import type { Hook, Row } from "../row/row.ts";
import { reportSqlite, reportStatements } from "../text/statements.ts";

/** Statements from options and standard input. */
const runs: Hook = (options, effects, { input }) => {
  for (const code of options.all("c", "e", "init-command")) reportStatements(code, effects);
  if (input.kind === "text") reportStatements(input.text, effects);
};

/** Any statement may write the database. Its path is only mentioned, because reading is common. */
const runsSqlite: Hook = (options, effects, { input }) => {
  const [database, ...statements] = options.operands;
  for (const code of [...options.all("cmd"), ...statements]) reportSqlite(code, effects);
  if (input.kind === "text") reportSqlite(input.text, effects);
  else if (statements.length === 0) effects.opaque("commands of unknown content run");
  if (database === undefined || known(database) === ":memory:" || options.has("readonly")) return;
  effects.opaque("statements run");
  effects.operand(database);
};

const dumps = "h,host p,port U,username u,user t,table n,schema T F,format d,dbname Z";

export const databases: readonly Row[] = [
  {
    names: "psql",
    values: "c,command f,file d,dbname h,host p,port U,username v,set,variable F,field-separator P,pset R,record-separator T,table-attr",
    flags: "t,tuples-only A,no-align q,quiet x,expanded w,no-password W,password X,no-psqlrc 1,single-transaction a b e E n s S z 0 H",
    files: "o,output L,log-file",
    harmless: "l,list",
    opaque: "statements run",
    also: runs,
    match: ["psql -o a -c 'select 1' -> a", "psql -c '\\o a' -> a", "psql -c \"copy t to 'a'\" -> a", "psql -c '\\! touch a' -> a"],
    no_match: ["psql -l"],
  },
  {
    names: "mysql mariadb mycli",
    values: "e,execute D,database h,host P,port u,user S,socket init-command delimiter default-character-set ssl-mode",
    glued: "p,password",
    flags: "B,batch N t s,silent v r X,xml H,html",
    files: "tee",
    opaque: "statements run",
    also: runs,
    match: ["mysql --tee=a -> a", "mysql -e 'system touch a' -> a", "mysql -pSECRET -e \"select 1 into outfile 'a'\" -> a"],
  },
  {
    names: "sqlite3 sqlite duckdb",
    style: "long",
    values: "cmd init separator nullvalue newline mmap vfs",
    flags: "readonly json line",
    besides: [{ when: "init", opaque: "a file of commands runs" }],
    also: runsSqlite,
    match: ["sqlite3 db 'select 1' ->", "sqlite3 db '.output a' -> a", "sqlite3 db '.shell touch a' -> a"],
    no_match: ["sqlite3 --version"],
  },
  {
    names: "redis-cli valkey-cli mongo mongosh cqlsh influx clickhouse-client clickhouse cypher-shell sqlcmd sqlplus usql pgcli litecli",
    values: "h p a n d u c",
    code: "eval",
    opaque: "statements run",
    mentions: "code",
    input: "code",
    match: ["mongosh --eval 'x'", "redis-cli get a"],
  },
  {
    names: "pg_dump pg_dumpall mysqldump mariadb-dump",
    values: dumps,
    files: "f,file r,result-file",
    folders: "tab out o",
    match: ["pg_dump -f a db -> a"],
    no_match: ["pg_dump db"],
  },
  { names: "mongodump", values: "uri db", folders: "o,out", files: "archive", opaque: "it writes a dump", match: ["mongodump -o a -> a"] },
  { names: "mongoexport", values: "uri db collection q", files: "o,out", match: ["mongoexport -o a -> a"], no_match: ["mongoexport --db x"] },
  {
    names: "pg_restore mongorestore mongoimport createdb dropdb createuser pg_ctl initdb mysqladmin redis-server mongod postgres",
    opaque: "it changes a database",
    mentions: "all",
    match: ["createdb x"],
  },
  {
    names: "prisma drizzle-kit knex typeorm sequelize flyway liquibase alembic migrate dbmate sqlx diesel atlas",
    opaque: "migrations run or are written",
    mentions: "all",
    match: ["prisma migrate dev"],
  },
];
