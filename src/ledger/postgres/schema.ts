/**
 * Documents are canonical JSON in a text column: `jsonb` would refuse `\u0000` and unpaired surrogates. JavaScript
 * extracts the searchable columns, and `verify` compares them with the documents. Names are sorted by their bytes.
 */
const tables = `
CREATE TABLE lockstep.meta (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  version integer NOT NULL, lockstep text NOT NULL,
  name text NOT NULL, secret text NOT NULL,
  fence bigint NOT NULL, commits bigint NOT NULL, seq bigint NOT NULL, hash text NOT NULL,
  loss text
);
CREATE TABLE lockstep.clock (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  ms bigint NOT NULL, identity text NOT NULL, grace_ms bigint NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE lockstep.machines (id text COLLATE "C" PRIMARY KEY, body text NOT NULL, beat_ms bigint NOT NULL);
CREATE TABLE lockstep.answers (id uuid PRIMARY KEY, answer text NOT NULL, at_ms bigint NOT NULL);
CREATE TABLE lockstep.settings (key text COLLATE "C" PRIMARY KEY, body text NOT NULL);
CREATE TABLE lockstep.requests (key text COLLATE "C" PRIMARY KEY, body text NOT NULL);
CREATE TABLE lockstep.tasks (
  key text COLLATE "C" PRIMARY KEY, version bigint NOT NULL, body text NOT NULL,
  state text NOT NULL, session text COLLATE "C", waits_for text COLLATE "C"
);
CREATE INDEX tasks_by_state ON lockstep.tasks (state, key);
CREATE INDEX tasks_by_session ON lockstep.tasks (session, state, key);
CREATE INDEX tasks_waiting ON lockstep.tasks (waits_for, key) WHERE waits_for IS NOT NULL;
CREATE TABLE lockstep.dependencies (
  needed text COLLATE "C" NOT NULL, task text COLLATE "C" NOT NULL, PRIMARY KEY (needed, task)
);
CREATE INDEX dependencies_by_task ON lockstep.dependencies (task);
CREATE TABLE lockstep.attempts (
  key text COLLATE "C" PRIMARY KEY, version bigint NOT NULL, body text NOT NULL,
  task text COLLATE "C" NOT NULL, number bigint NOT NULL, lease_state text NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX attempts_by_task ON lockstep.attempts (task, number);
CREATE INDEX attempts_running ON lockstep.attempts (key) WHERE lease_state = 'running';
CREATE TABLE lockstep.locks (
  id bigint PRIMARY KEY, body text NOT NULL,
  task text COLLATE "C" NOT NULL, kind text NOT NULL, resource text COLLATE "C" NOT NULL,
  active boolean NOT NULL, released_at text
);
CREATE INDEX locks_by_task ON lockstep.locks (task);
CREATE INDEX locks_active ON lockstep.locks (id) WHERE active;
CREATE INDEX locks_on_resource ON lockstep.locks (resource) WHERE active AND kind = 'resource';
CREATE TABLE lockstep.lock_prefixes (
  prefix text COLLATE "C" NOT NULL, lock bigint NOT NULL, PRIMARY KEY (prefix, lock)
);
CREATE INDEX lock_prefixes_by_lock ON lockstep.lock_prefixes (lock);
CREATE TABLE lockstep.events (
  seq bigint PRIMARY KEY, body text NOT NULL, hash text NOT NULL,
  task text COLLATE "C", type text COLLATE "C" NOT NULL
);
CREATE INDEX events_by_task ON lockstep.events (task, seq) WHERE task IS NOT NULL;
CREATE INDEX events_by_type ON lockstep.events (type, seq);
CREATE TABLE lockstep.intents (id bigint PRIMARY KEY, body text NOT NULL, done boolean NOT NULL);
CREATE INDEX intents_open ON lockstep.intents (id) WHERE NOT done;
CREATE TABLE lockstep.decisions (
  key text COLLATE "C" PRIMARY KEY, version bigint NOT NULL, body text NOT NULL, state text NOT NULL
);
CREATE INDEX decisions_by_state ON lockstep.decisions (state, key);
CREATE TABLE lockstep.sessions (key text COLLATE "C" PRIMARY KEY, version bigint NOT NULL, body text NOT NULL);
CREATE TABLE lockstep.roles (
  key text COLLATE "C" PRIMARY KEY, version bigint NOT NULL, body text NOT NULL, epoch bigint NOT NULL
);
CREATE TABLE lockstep.archived (task text COLLATE "C" PRIMARY KEY, file text NOT NULL);
CREATE TABLE lockstep.evidence (key text COLLATE "C" PRIMARY KEY, body text NOT NULL, failed boolean NOT NULL);
`;

/** They hold for the owner too. Everybody else has no right to write the tables at all. */
const triggers = `
CREATE FUNCTION lockstep.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'restrict_violation'; END $$;
CREATE TRIGGER events_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON lockstep.events
  FOR EACH STATEMENT EXECUTE FUNCTION lockstep.refuse('an event is never changed or deleted');
CREATE FUNCTION lockstep.append() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF new.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM lockstep.events) THEN
    RAISE EXCEPTION 'an event follows the last one' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN new;
END $$;
CREATE TRIGGER events_are_appended BEFORE INSERT ON lockstep.events
  FOR EACH ROW EXECUTE FUNCTION lockstep.append();
CREATE TRIGGER locks_stay BEFORE DELETE OR TRUNCATE ON lockstep.locks
  FOR EACH STATEMENT EXECUTE FUNCTION lockstep.refuse('a lock is never deleted');
CREATE TRIGGER locks_keep_their_owner BEFORE UPDATE ON lockstep.locks FOR EACH ROW
  WHEN (new.id <> old.id OR new.task <> old.task OR new.resource <> old.resource OR new.body <> old.body)
  EXECUTE FUNCTION lockstep.refuse('a lock keeps its task and its resource');
CREATE TRIGGER intents_stay BEFORE DELETE OR TRUNCATE ON lockstep.intents
  FOR EACH STATEMENT EXECUTE FUNCTION lockstep.refuse('an intent is never deleted');
`;

/**
 * The ledger's time never goes back: the highest time that was seen is kept in a row, with the server's time then, and
 * is written at most once a second. While the server's clock is behind it, because it was set back, the ledger's time
 * runs at half speed: a lease then lasts twice as long at most. After a restart or a failover of the server, `grace_ms`
 * is the time from which every lease has its full length again. `tick` also records that a machine is there.
 */
const clock = `
CREATE OR REPLACE FUNCTION lockstep.server_identity() RETURNS text LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
  SELECT s.system_identifier || '/' || c.timeline_id || '/' || extract(epoch FROM pg_postmaster_start_time())
  FROM pg_control_system() s, pg_control_checkpoint() c
$$;
CREATE OR REPLACE FUNCTION lockstep.server_ms() RETURNS bigint LANGUAGE sql SET search_path = pg_catalog AS $$
  SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
$$;
CREATE OR REPLACE FUNCTION lockstep.ms_at(known lockstep.clock, raw_ms bigint) RETURNS bigint LANGUAGE sql AS $$
  SELECT greatest(raw_ms, known.ms, known.ms + (raw_ms - known.server_ms) / 2)
$$;
CREATE OR REPLACE FUNCTION lockstep.tick(machine text DEFAULT NULL, about text DEFAULT NULL) RETURNS json
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lockstep, pg_temp AS $$
DECLARE
  known clock%ROWTYPE;
  raw_ms bigint := server_ms();
  now_ms bigint;
  server text := server_identity();
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  SELECT * INTO STRICT known FROM clock;
  IF known.identity <> server OR known.server_ms - raw_ms > 1000 THEN
    SELECT * INTO STRICT known FROM clock FOR UPDATE;
    now_ms := ms_at(known, raw_ms);
    UPDATE clock SET ms = now_ms, server_ms = raw_ms, identity = server,
      grace_ms = CASE WHEN known.identity <> server THEN now_ms ELSE known.grace_ms END RETURNING * INTO known;
  ELSE
    now_ms := ms_at(known, raw_ms);
    IF now_ms - known.ms >= 1000 THEN
      UPDATE clock SET ms = now_ms, server_ms = raw_ms
        WHERE one IN (SELECT one FROM clock WHERE now_ms - ms >= 1000 FOR UPDATE SKIP LOCKED);
    END IF;
  END IF;
  IF machine IS NOT NULL THEN
    INSERT INTO machines VALUES (machine, about, now_ms)
      ON CONFLICT (id) DO UPDATE SET body = about, beat_ms = now_ms WHERE now_ms - machines.beat_ms >= 1000;
  END IF;
  RETURN json_build_object('ms', now_ms, 'graceMs', known.grace_ms);
END $$;
`;

/**
 * Applies a change in one call. All checks come before the first write. Changes that only renew leases take no lock
 * but that of their own rows; all others take the row of `meta` first, so they run one after another: each extends
 * the same chain. The hash of an event is computed here, because only here the previous event is known.
 */
const commit = `
CREATE OR REPLACE FUNCTION lockstep.why_refused(change jsonb, tail lockstep.meta) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE bad text;
BEGIN
  IF (change->>'format')::int <> tail.version THEN
    RETURN jsonb_build_object('format', tail.version, 'lockstep', tail.lockstep);
  END IF;
  IF change->>'name' <> tail.name THEN RETURN '{"renamed": true}'; END IF;
  IF tail.loss IS NULL AND (change->>'seen')::bigint > tail.commits THEN
    UPDATE meta SET loss = format('the last %s changes are missing', (change->>'seen')::bigint - tail.commits)
      RETURNING * INTO tail;
  END IF;
  IF tail.loss IS NOT NULL THEN RETURN jsonb_build_object('lost', tail.loss); END IF;
  IF change ? 'request' AND EXISTS (SELECT 1 FROM requests WHERE key = change->'request'->>'key') THEN
    RETURN '{"conflict": "request"}';
  END IF;
  IF (change->>'fence')::bigint <> tail.fence THEN RETURN '{"conflict": "fence"}'; END IF;
  IF change ?| '{expectTasks,expectRoles,intentsDone}' THEN
    bad := why_stale(change);
    IF bad IS NOT NULL THEN RETURN jsonb_build_object('conflict', bad); END IF;
  END IF;
  IF change ?| '{tasks,attempts,decisions,sessions,roles}' THEN
    bad := why_outdated(change);
    IF bad IS NOT NULL THEN RETURN jsonb_build_object('conflict', bad); END IF;
  END IF;
  bad := coalesce(change->>'broken', why_forbidden(change));
  IF bad IS NOT NULL THEN RETURN jsonb_build_object('broken', bad); END IF;
  IF change ? 'tasks' THEN
    SELECT format('task \`%s\` was archived to %s', a.task, a.file) INTO bad
      FROM jsonb_to_recordset(change->'tasks') AS d(key text, version bigint) JOIN archived a ON a.task = d.key
      WHERE d.version = 0 LIMIT 1;
    IF bad IS NOT NULL THEN RETURN jsonb_build_object('archived', bad); END IF;
    SELECT 'INV-5: task \`' || d.key || '\` is ' || coalesce(t.state, 'null') || ', but its events begin at '
        || coalesce(d.was, 'null') INTO bad
      FROM jsonb_to_recordset(change->'tasks') AS d(key text, was text) LEFT JOIN tasks t USING (key)
      WHERE t.state IS DISTINCT FROM d.was LIMIT 1;
    IF bad IS NOT NULL THEN RETURN jsonb_build_object('broken', bad); END IF;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION lockstep.why_forbidden(change jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE bad text;
BEGIN
  IF change ? 'light' AND change ?| '{fence,tasks,decisions,sessions,release,take,evidence,settings,intents,intentsDone,request,events}' THEN
    RETURN 'INV-5: a change without the ledger''s lock renews leases and does nothing else';
  END IF;
  IF change ? 'take' AND NOT change ? 'fence' THEN
    RETURN 'INV-1: locks are taken without the fence at which their overlap was checked';
  END IF;
  IF change ? 'roles' THEN
    SELECT 'INV-2: the epoch of role \`' || d.key || '\` would go back from ' || r.epoch || ' to ' || d.epoch INTO bad
      FROM jsonb_to_recordset(change->'roles') AS d(key text, epoch bigint) JOIN roles r USING (key)
      WHERE d.epoch < r.epoch LIMIT 1;
  END IF;
  RETURN bad;
END $$;

CREATE OR REPLACE FUNCTION lockstep.why_stale(change jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE bad text;
BEGIN
  SELECT 'task ' || e.key INTO bad
    FROM jsonb_to_recordset(change->'expectTasks') AS e(at int, key text, version bigint)
    LEFT JOIN tasks t ON t.key = e.key WHERE coalesce(t.version, 0) <> e.version ORDER BY e.at LIMIT 1;
  IF bad IS NOT NULL THEN RETURN bad; END IF;
  SELECT 'role ' || e.key INTO bad
    FROM jsonb_to_recordset(change->'expectRoles') AS e(key text, epoch bigint)
    LEFT JOIN roles r ON r.key = e.key WHERE coalesce(r.epoch, 0) <> e.epoch LIMIT 1;
  IF bad IS NOT NULL THEN RETURN bad; END IF;
  SELECT 'intent ' || e.id INTO bad FROM jsonb_array_elements_text(change->'intentsDone') AS e(id)
    LEFT JOIN intents i ON i.id = e.id::bigint WHERE i.done IS DISTINCT FROM false LIMIT 1;
  RETURN bad;
END $$;

CREATE OR REPLACE FUNCTION lockstep.why_outdated(change jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE bad text;
BEGIN
  PERFORM 1 FROM attempts WHERE key IN (SELECT a->>'key' FROM jsonb_array_elements(change->'attempts') a)
    ORDER BY key FOR UPDATE;
  PERFORM 1 FROM roles WHERE key IN (SELECT r->>'key' FROM jsonb_array_elements(change->'roles') r)
    ORDER BY key FOR UPDATE;
  SELECT one || ' ' || key INTO bad FROM (
    SELECT 1 AS rank, 'task' AS one, d.key, d.version, t.version AS stored, d.at
      FROM jsonb_to_recordset(change->'tasks') AS d(key text, version bigint, at int) LEFT JOIN tasks t USING (key)
    UNION ALL SELECT 2, 'attempt', d.key, d.version, t.version, d.at
      FROM jsonb_to_recordset(change->'attempts') AS d(key text, version bigint, at int) LEFT JOIN attempts t USING (key)
    UNION ALL SELECT 3, 'decision', d.key, d.version, t.version, d.at
      FROM jsonb_to_recordset(change->'decisions') AS d(key text, version bigint, at int) LEFT JOIN decisions t USING (key)
    UNION ALL SELECT 4, 'session', d.key, d.version, t.version, d.at
      FROM jsonb_to_recordset(change->'sessions') AS d(key text, version bigint, at int) LEFT JOIN sessions t USING (key)
    UNION ALL SELECT 5, 'role', d.key, d.version, t.version, d.at
      FROM jsonb_to_recordset(change->'roles') AS d(key text, version bigint, at int) LEFT JOIN roles t USING (key)
  ) AS documents WHERE coalesce(stored, 0) <> version ORDER BY rank, at LIMIT 1;
  RETURN bad;
END $$;

CREATE OR REPLACE FUNCTION lockstep.write_locks(change jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE last_id bigint;
BEGIN
  IF change ? 'release' THEN
    WITH released AS (
      UPDATE locks SET active = false, released_at = change->'release'->>'at'
      WHERE active AND task IN (SELECT jsonb_array_elements_text(change->'release'->'tasks')) RETURNING id
    ) DELETE FROM lock_prefixes WHERE lock IN (SELECT id FROM released);
  END IF;
  IF change ? 'take' THEN
    SELECT coalesce(max(id), 0) INTO last_id FROM locks;
    INSERT INTO locks SELECT last_id + l.at, l.body, l.task, l.kind, l.resource, true, NULL
      FROM jsonb_to_recordset(change->'take') AS l(at int, body text, task text, kind text, resource text);
    INSERT INTO lock_prefixes SELECT p.prefix, last_id + l.at
      FROM jsonb_to_recordset(change->'take') AS l(at int, prefixes jsonb),
        jsonb_array_elements_text(l.prefixes) AS p(prefix);
  END IF;
END $$;

CREATE OR REPLACE FUNCTION lockstep.write_documents(change jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF change ? 'tasks' THEN
    INSERT INTO tasks SELECT d.key, d.version + 1, d.body, d.state, d.session, d.waits_for
      FROM jsonb_to_recordset(change->'tasks')
        AS d(key text, version bigint, body text, state text, session text, waits_for text)
      ON CONFLICT (key) DO UPDATE SET version = excluded.version, body = excluded.body, state = excluded.state,
        session = excluded.session, waits_for = excluded.waits_for;
    DELETE FROM dependencies USING jsonb_to_recordset(change->'tasks') AS d(key text, needs jsonb)
      WHERE task = d.key AND NOT d.needs ? needed;
    INSERT INTO dependencies SELECT n.needed, d.key
      FROM jsonb_to_recordset(change->'tasks') AS d(key text, needs jsonb),
        jsonb_array_elements_text(d.needs) AS n(needed) ON CONFLICT DO NOTHING;
  END IF;
  IF change ? 'attempts' THEN
    INSERT INTO attempts SELECT d.key, d.version + 1, d.body, d.task, d.number, d.lease_state
      FROM jsonb_to_recordset(change->'attempts')
        AS d(key text, version bigint, body text, task text, number bigint, lease_state text)
      ON CONFLICT (key) DO UPDATE SET version = excluded.version, body = excluded.body, lease_state = excluded.lease_state;
  END IF;
  IF change ? 'decisions' THEN
    INSERT INTO decisions SELECT d.key, d.version + 1, d.body, d.state
      FROM jsonb_to_recordset(change->'decisions') AS d(key text, version bigint, body text, state text)
      ON CONFLICT (key) DO UPDATE SET version = excluded.version, body = excluded.body, state = excluded.state;
  END IF;
  IF change ? 'sessions' THEN
    INSERT INTO sessions SELECT d.key, d.version + 1, d.body
      FROM jsonb_to_recordset(change->'sessions') AS d(key text, version bigint, body text)
      ON CONFLICT (key) DO UPDATE SET version = excluded.version, body = excluded.body;
  END IF;
  IF change ? 'roles' THEN
    INSERT INTO roles SELECT d.key, d.version + 1, d.body, d.epoch
      FROM jsonb_to_recordset(change->'roles') AS d(key text, version bigint, body text, epoch bigint)
      ON CONFLICT (key) DO UPDATE SET version = excluded.version, body = excluded.body, epoch = excluded.epoch;
  END IF;
END $$;

CREATE OR REPLACE FUNCTION lockstep.write_others(change jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE last_id bigint;
BEGIN
  IF change ? 'evidence' THEN
    INSERT INTO evidence SELECT d.key, d.body, d.failed
      FROM jsonb_to_recordset(change->'evidence') AS d(key text, body text, failed boolean)
      ON CONFLICT (key) DO UPDATE SET body = excluded.body, failed = excluded.failed
      WHERE excluded.failed OR NOT evidence.failed;
  END IF;
  IF change ? 'settings' THEN
    INSERT INTO settings SELECT d.key, d.body FROM jsonb_to_recordset(change->'settings') AS d(key text, body text)
      ON CONFLICT (key) DO UPDATE SET body = excluded.body;
  END IF;
  IF change ? 'intentsDone' THEN
    UPDATE intents SET done = true
      WHERE id IN (SELECT i::bigint FROM jsonb_array_elements_text(change->'intentsDone') AS i);
  END IF;
  IF change ? 'intents' THEN
    SELECT coalesce(max(id), 0) INTO last_id FROM intents;
    INSERT INTO intents SELECT last_id + d.at, d.body, false
      FROM jsonb_to_recordset(change->'intents') AS d(at int, body text);
  END IF;
  IF change ? 'request' THEN
    INSERT INTO requests VALUES (change->'request'->>'key', change->'request'->>'body');
  END IF;
END $$;

CREATE OR REPLACE FUNCTION lockstep.append_events(change jsonb, tail lockstep.meta) RETURNS lockstep.meta LANGUAGE plpgsql AS $$
DECLARE
  event jsonb;
  text_of text;
BEGIN
  FOR event IN SELECT value FROM jsonb_array_elements(change->'events') LOOP
    tail.seq := tail.seq + 1;
    text_of := (event->>'before') || tail.seq || (event->>'after');
    PERFORM text_of::json; -- nobody can remove an event that no reader can parse
    tail.hash := encode(sha256(convert_to(tail.hash || chr(10) || text_of, 'UTF8')), 'hex');
    INSERT INTO lockstep.events VALUES (tail.seq, text_of, tail.hash, event->>'task', event->>'type');
  END LOOP;
  UPDATE lockstep.meta SET seq = tail.seq, hash = tail.hash, fence = tail.fence, commits = tail.commits;
  RETURN tail;
END $$;

CREATE OR REPLACE FUNCTION lockstep.apply_change(given text) RETURNS json
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lockstep, pg_temp AS $$
DECLARE
  change jsonb := given::jsonb;
  tail meta%ROWTYPE;
  answer jsonb;
  light boolean := change ? 'light';
BEGIN
  IF light THEN
    PERFORM set_config('synchronous_commit', 'off', true);
    SELECT * INTO STRICT tail FROM meta;
  ELSE
    SELECT * INTO STRICT tail FROM meta FOR UPDATE;
    SELECT answers.answer INTO answer FROM answers WHERE id = (change->>'id')::uuid;
    IF answer IS NOT NULL THEN RETURN answer; END IF;
  END IF;
  answer := why_refused(change, tail);
  IF answer IS NOT NULL THEN RETURN answer; END IF;
  IF change ?| '{release,take}' THEN PERFORM write_locks(change); END IF;
  IF change ?| '{tasks,attempts,decisions,sessions,roles}' THEN PERFORM write_documents(change); END IF;
  IF light THEN RETURN jsonb_build_object('seq', tail.seq, 'hash', tail.hash, 'commits', tail.commits); END IF;
  IF change ?| '{evidence,settings,intents,intentsDone,request}' THEN PERFORM write_others(change); END IF;
  IF change ? 'take' THEN tail.fence := tail.fence + 1; END IF;
  IF NOT change ? 'counts' THEN PERFORM set_config('synchronous_commit', 'off', true);
  ELSE
    tail.commits := tail.commits + 1;
    -- INV-3, also for a user whose commits do not wait for the disk by default.
    IF current_setting('synchronous_commit') = 'off' THEN PERFORM set_config('synchronous_commit', 'on', true); END IF;
  END IF;
  tail := append_events(change, tail);
  answer := jsonb_build_object('seq', tail.seq, 'hash', tail.hash, 'commits', tail.commits);
  INSERT INTO answers VALUES ((change->>'id')::uuid, answer, extract(epoch FROM clock_timestamp()) * 1000);
  IF tail.commits % 256 = 0 THEN
    DELETE FROM answers WHERE at_ms < extract(epoch FROM clock_timestamp()) * 1000 - 3600000;
  END IF;
  PERFORM pg_notify('lockstep', tail.commits::text);
  RETURN answer;
END $$;
`;

/**
 * A machine that has seen events which the ledger lacks reports the loss. From then on the ledger refuses every change
 * until a person accepts the loss. The ledger then has a new name, so that the heads of the lost time no longer apply.
 */
const losses = `
CREATE OR REPLACE FUNCTION lockstep.report_loss(why text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = lockstep, pg_temp AS $$
  UPDATE meta SET loss = coalesce(loss, why)
$$;
CREATE OR REPLACE FUNCTION lockstep.accept_loss(new_name text, event text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lockstep, pg_temp AS $$
DECLARE
  tail meta%ROWTYPE;
BEGIN
  SELECT * INTO STRICT tail FROM meta FOR UPDATE;
  tail.commits := tail.commits + 1;
  PERFORM append_events(jsonb_build_object('events', jsonb_build_array(event::jsonb)), tail);
  UPDATE meta SET loss = NULL, name = new_name;
  PERFORM pg_notify('lockstep', 'accepted');
  RETURN tail.loss;
END $$;
`;

/** The end of each log, and until when somebody asks for it: the machine that writes the log looks there. */
const logs = `
CREATE OR REPLACE FUNCTION lockstep.keep_log(of_task text, of_machine text, of_file text, tail text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lockstep, pg_temp AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  IF octet_length(tail) > 1048576 THEN
    RAISE EXCEPTION 'the tail of a log is longer than 1 MiB' USING ERRCODE = 'program_limit_exceeded';
  END IF;
  INSERT INTO logs VALUES (of_task, of_machine, of_file, tail)
    ON CONFLICT (task, machine, file) DO UPDATE SET body = excluded.body;
END $$;
CREATE OR REPLACE FUNCTION lockstep.ask_log(of_task text) RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = lockstep, pg_temp AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  RETURN QUERY UPDATE logs SET asked_ms = floor(extract(epoch FROM clock_timestamp()) * 1000)
    WHERE task = of_task RETURNING body;
END $$;
`;

/** The tables, by version: each step upgrades a ledger of the version before it. */
export const steps: readonly string[] = [
  ["CREATE SCHEMA lockstep;", tables, triggers].join("\n"),
  `
ALTER TABLE lockstep.clock ADD server_ms bigint NOT NULL DEFAULT 0;
CREATE TABLE lockstep.logs (
  task text COLLATE "C", machine text COLLATE "C", file text COLLATE "C", body text NOT NULL,
  asked_ms bigint NOT NULL DEFAULT 0, PRIMARY KEY (task, machine, file)
);
`,
];

/** The functions of the newest version. They replace those of the version before. */
export const functions = [
  ...[clock, commit, losses, logs],
  "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA lockstep FROM PUBLIC;",
].join("\n");

/** What a machine may do: read everything, and call these functions. */
export const machineRights = (role: string) => `
GRANT USAGE ON SCHEMA lockstep TO ${role};
GRANT SELECT ON ALL TABLES IN SCHEMA lockstep TO ${role};
GRANT EXECUTE ON FUNCTION lockstep.apply_change(text), lockstep.tick(text, text), lockstep.report_loss(text),
  lockstep.accept_loss(text, text), lockstep.server_identity(), lockstep.keep_log(text, text, text, text),
  lockstep.ask_log(text) TO ${role};
`;
