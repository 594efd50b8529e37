import type { Row } from "../row/row.ts";

const dumps = "h,host p,port U,username u,user t,table n,schema T F,format d,dbname Z";

export const databases: readonly Row[] = [
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
