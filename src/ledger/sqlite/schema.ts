/**
 * Every table has a key, a JSON `body` and the `sum` of both. Searchable columns are generated from the body, so
 * they always agree with it. The two tables without a body are derived from others, and `verify` compares them.
 * Indexes omit finished rows, so that the cost of a search does not grow with the history.
 */
export const schema = `
CREATE TABLE meta (key TEXT PRIMARY KEY NOT NULL, body TEXT NOT NULL, sum TEXT NOT NULL) STRICT;

CREATE TABLE settings (key TEXT PRIMARY KEY NOT NULL, body TEXT NOT NULL, sum TEXT NOT NULL) STRICT;

CREATE TABLE requests (key TEXT PRIMARY KEY NOT NULL, body TEXT NOT NULL, sum TEXT NOT NULL) STRICT;

CREATE TABLE tasks (
  key TEXT PRIMARY KEY NOT NULL, body TEXT NOT NULL, sum TEXT NOT NULL,
  state TEXT AS (body ->> '$.state') VIRTUAL,
  session TEXT AS (body ->> '$.session') VIRTUAL,
  waits_for TEXT AS (body ->> '$.hold.by') VIRTUAL
) STRICT;
CREATE INDEX tasks_by_state ON tasks (state, key);
CREATE INDEX tasks_by_session ON tasks (session, state, key);
CREATE INDEX tasks_waiting ON tasks (waits_for, key) WHERE waits_for IS NOT NULL;

CREATE TABLE dependencies (needed TEXT NOT NULL, task TEXT NOT NULL, PRIMARY KEY (needed, task))
  STRICT, WITHOUT ROWID;

CREATE TABLE attempts (
  key TEXT PRIMARY KEY NOT NULL, body TEXT NOT NULL, sum TEXT NOT NULL,
  task TEXT AS (body ->> '$.task') VIRTUAL,
  number INTEGER AS (body ->> '$.number') VIRTUAL,
  lease_state TEXT AS (body ->> '$.leaseState') VIRTUAL
) STRICT;
CREATE INDEX attempts_by_task ON attempts (task, number);
CREATE INDEX attempts_running ON attempts (key) WHERE lease_state = 'running';

CREATE TABLE locks (
  key INTEGER PRIMARY KEY NOT NULL, body TEXT NOT NULL, sum TEXT NOT NULL,
  task TEXT AS (body ->> '$.task') VIRTUAL,
  kind TEXT AS (body ->> '$.kind') VIRTUAL,
  resource TEXT AS (body ->> '$.resource') VIRTUAL,
  active INTEGER AS (body ->> '$.active') VIRTUAL
) STRICT;
CREATE INDEX locks_by_task ON locks (task);
CREATE INDEX locks_active ON locks (key) WHERE active = 1;
CREATE INDEX locks_on_resource ON locks (resource) WHERE active = 1 AND kind = 'resource';
CREATE TRIGGER locks_stay BEFORE DELETE ON locks
  BEGIN SELECT RAISE(ABORT, 'a lock is never deleted'); END;
CREATE TRIGGER locks_stay_whose_they_are BEFORE UPDATE ON locks
  WHEN new.key IS NOT old.key OR new.task IS NOT old.task OR new.resource IS NOT old.resource
  BEGIN SELECT RAISE(ABORT, 'a lock keeps its task and its resource'); END;
CREATE TRIGGER locks_are_not_replaced BEFORE INSERT ON locks
  WHEN EXISTS (SELECT 1 FROM locks WHERE key = new.key)
  BEGIN SELECT RAISE(ABORT, 'a lock is never replaced'); END;

CREATE TABLE lock_prefixes (prefix TEXT NOT NULL, lock INTEGER NOT NULL, PRIMARY KEY (prefix, lock))
  STRICT, WITHOUT ROWID;

CREATE TABLE events (
  key INTEGER PRIMARY KEY NOT NULL, body TEXT NOT NULL, sum TEXT NOT NULL,
  task TEXT AS (body ->> '$.task') VIRTUAL,
  type TEXT AS (body ->> '$.type') VIRTUAL
) STRICT;
CREATE INDEX events_by_task ON events (task, key) WHERE task IS NOT NULL;
CREATE INDEX events_by_type ON events (type, key);
CREATE TRIGGER events_are_not_changed BEFORE UPDATE ON events
  BEGIN SELECT RAISE(ABORT, 'an event is never changed'); END;
CREATE TRIGGER events_are_not_deleted BEFORE DELETE ON events
  BEGIN SELECT RAISE(ABORT, 'an event is never deleted'); END;
CREATE TRIGGER events_are_appended BEFORE INSERT ON events
  WHEN new.key <> (SELECT coalesce(max(key), 0) + 1 FROM events)
  BEGIN SELECT RAISE(ABORT, 'an event follows the last one'); END;

CREATE TABLE intents (
  key INTEGER PRIMARY KEY NOT NULL, body TEXT NOT NULL, sum TEXT NOT NULL,
  done INTEGER AS (body ->> '$.done') VIRTUAL
) STRICT;
CREATE INDEX intents_open ON intents (key) WHERE done = 0;
CREATE TRIGGER intents_stay BEFORE DELETE ON intents
  BEGIN SELECT RAISE(ABORT, 'an intent is never deleted'); END;

CREATE TABLE decisions (
  key TEXT PRIMARY KEY NOT NULL, body TEXT NOT NULL, sum TEXT NOT NULL,
  state TEXT AS (body ->> '$.state') VIRTUAL
) STRICT;
CREATE INDEX decisions_by_state ON decisions (state, key);
`;

/** Version 2. */
export const evidenceSchema = `
CREATE TABLE evidence (key TEXT PRIMARY KEY NOT NULL, body TEXT NOT NULL, sum TEXT NOT NULL) STRICT;
`;

/** Version 3. */
export const sessionsSchema = `
CREATE TABLE sessions (key TEXT PRIMARY KEY NOT NULL, body TEXT NOT NULL, sum TEXT NOT NULL) STRICT;
`;

/** Version 4. */
export const rolesSchema = `
CREATE TABLE roles (key TEXT PRIMARY KEY NOT NULL, body TEXT NOT NULL, sum TEXT NOT NULL) STRICT;
`;

/** The tables whose rows have a checksum. */
export const sealedTables = [
  "meta",
  "events",
  "tasks",
  "attempts",
  "locks",
  "decisions",
  "intents",
  "settings",
  "requests",
  "evidence",
  "sessions",
  "roles",
] as const;

export type SealedTable = (typeof sealedTables)[number];
