SET check_function_bodies = false;
CREATE SCHEMA lockstep;
CREATE FUNCTION lockstep.accept_loss(new_name text, event text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'lockstep', 'pg_temp'
    AS $$
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
CREATE FUNCTION lockstep.append() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF new.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM lockstep.events) THEN
    RAISE EXCEPTION 'an event follows the last one' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN new;
END $$;
CREATE TABLE lockstep.meta (
    one boolean DEFAULT true NOT NULL,
    version integer NOT NULL,
    lockstep text NOT NULL,
    name text NOT NULL,
    secret text NOT NULL,
    fence bigint NOT NULL,
    commits bigint NOT NULL,
    seq bigint NOT NULL,
    hash text NOT NULL,
    loss text,
    CONSTRAINT meta_one_check CHECK (one)
);
CREATE FUNCTION lockstep.append_events(change jsonb, tail lockstep.meta) RETURNS lockstep.meta
    LANGUAGE plpgsql
    AS $$
DECLARE
  event jsonb;
  text_of text;
BEGIN
  FOR event IN SELECT value FROM jsonb_array_elements(change->'events') LOOP
    tail.seq := tail.seq + 1;
    text_of := (event->>'before') || tail.seq || (event->>'after');
    tail.hash := encode(sha256(convert_to(tail.hash || chr(10) || text_of, 'UTF8')), 'hex');
    INSERT INTO lockstep.events VALUES (tail.seq, text_of, tail.hash, event->>'task', event->>'type');
  END LOOP;
  UPDATE lockstep.meta SET seq = tail.seq, hash = tail.hash, fence = tail.fence, commits = tail.commits;
  RETURN tail;
END $$;
CREATE FUNCTION lockstep.apply_change(given text) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'lockstep', 'pg_temp'
    AS $$
DECLARE
  change jsonb := given::jsonb;
  tail meta%ROWTYPE;
  answer jsonb;
  light boolean := change ? 'light';
BEGIN
  IF light THEN
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
  IF change ? 'counts' THEN tail.commits := tail.commits + 1;
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
CREATE FUNCTION lockstep.refuse() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'restrict_violation'; END $$;
CREATE FUNCTION lockstep.report_loss(why text) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'lockstep', 'pg_temp'
    AS $$
  UPDATE meta SET loss = coalesce(loss, why)
$$;
CREATE FUNCTION lockstep.server_identity() RETURNS text
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog'
    AS $$
  SELECT s.system_identifier || '/' || c.timeline_id || '/' || extract(epoch FROM pg_postmaster_start_time())
  FROM pg_control_system() s, pg_control_checkpoint() c
$$;
CREATE FUNCTION lockstep.tick(machine text DEFAULT NULL::text, about text DEFAULT NULL::text) RETURNS json
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'lockstep', 'pg_temp'
    AS $$
DECLARE
  known clock%ROWTYPE;
  now_ms bigint := floor(extract(epoch FROM clock_timestamp()) * 1000);
  server text := server_identity();
BEGIN
  SELECT * INTO STRICT known FROM clock;
  IF known.identity <> server THEN
    SELECT * INTO STRICT known FROM clock FOR UPDATE;
    IF known.identity <> server THEN
      now_ms := greatest(known.ms, now_ms);
      UPDATE clock SET ms = now_ms, identity = server, grace_ms = now_ms RETURNING * INTO known;
    END IF;
  ELSIF now_ms - known.ms >= 1000 THEN
    UPDATE clock SET ms = now_ms WHERE one IN (SELECT one FROM clock WHERE now_ms - ms >= 1000 FOR UPDATE SKIP LOCKED);
  END IF;
  now_ms := greatest(known.ms, now_ms);
  IF machine IS NOT NULL THEN
    INSERT INTO machines VALUES (machine, about, now_ms)
      ON CONFLICT (id) DO UPDATE SET body = about, beat_ms = now_ms WHERE now_ms - machines.beat_ms >= 1000;
  END IF;
  RETURN json_build_object('ms', now_ms, 'graceMs', known.grace_ms);
END $$;
CREATE FUNCTION lockstep.why_outdated(change jsonb) RETURNS text
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION lockstep.why_refused(change jsonb, tail lockstep.meta) RETURNS jsonb
    LANGUAGE plpgsql
    AS $$
DECLARE bad text;
BEGIN
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
  IF change ? 'broken' THEN RETURN jsonb_build_object('broken', change->>'broken'); END IF;
  IF change ? 'tasks' THEN
    SELECT 'INV-5: task `' || d.key || '` is ' || coalesce(t.state, 'null') || ', but its events begin at '
        || coalesce(d.was, 'null') INTO bad
      FROM jsonb_to_recordset(change->'tasks') AS d(key text, was text) LEFT JOIN tasks t USING (key)
      WHERE t.state IS DISTINCT FROM d.was LIMIT 1;
    IF bad IS NOT NULL THEN RETURN jsonb_build_object('broken', bad); END IF;
  END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION lockstep.why_stale(change jsonb) RETURNS text
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION lockstep.write_documents(change jsonb) RETURNS void
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION lockstep.write_locks(change jsonb) RETURNS void
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION lockstep.write_others(change jsonb) RETURNS void
    LANGUAGE plpgsql
    AS $$
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
CREATE TABLE lockstep.answers (
    id uuid NOT NULL,
    answer text NOT NULL,
    at_ms bigint NOT NULL
);
CREATE TABLE lockstep.archived (
    task text NOT NULL COLLATE pg_catalog."C",
    file text NOT NULL
);
CREATE TABLE lockstep.attempts (
    key text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    body text NOT NULL,
    task text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    lease_state text NOT NULL
)
WITH (fillfactor='70');
CREATE TABLE lockstep.clock (
    one boolean DEFAULT true NOT NULL,
    ms bigint NOT NULL,
    identity text NOT NULL,
    grace_ms bigint NOT NULL,
    CONSTRAINT clock_one_check CHECK (one)
)
WITH (fillfactor='50');
CREATE TABLE lockstep.decisions (
    key text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    body text NOT NULL,
    state text NOT NULL
);
CREATE TABLE lockstep.dependencies (
    needed text NOT NULL COLLATE pg_catalog."C",
    task text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE lockstep.events (
    seq bigint NOT NULL,
    body text NOT NULL,
    hash text NOT NULL,
    task text COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE lockstep.evidence (
    key text NOT NULL COLLATE pg_catalog."C",
    body text NOT NULL,
    failed boolean NOT NULL
);
CREATE TABLE lockstep.intents (
    id bigint NOT NULL,
    body text NOT NULL,
    done boolean NOT NULL
);
CREATE TABLE lockstep.lock_prefixes (
    prefix text NOT NULL COLLATE pg_catalog."C",
    lock bigint NOT NULL
);
CREATE TABLE lockstep.locks (
    id bigint NOT NULL,
    body text NOT NULL,
    task text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL,
    resource text NOT NULL COLLATE pg_catalog."C",
    active boolean NOT NULL,
    released_at text
);
CREATE TABLE lockstep.machines (
    id text NOT NULL COLLATE pg_catalog."C",
    body text NOT NULL,
    beat_ms bigint NOT NULL
);
CREATE TABLE lockstep.requests (
    key text NOT NULL COLLATE pg_catalog."C",
    body text NOT NULL
);
CREATE TABLE lockstep.roles (
    key text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    body text NOT NULL,
    epoch bigint NOT NULL
);
CREATE TABLE lockstep.sessions (
    key text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    body text NOT NULL
);
CREATE TABLE lockstep.settings (
    key text NOT NULL COLLATE pg_catalog."C",
    body text NOT NULL
);
CREATE TABLE lockstep.tasks (
    key text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    body text NOT NULL,
    state text NOT NULL,
    session text COLLATE pg_catalog."C",
    waits_for text COLLATE pg_catalog."C"
);
INSERT INTO lockstep.answers VALUES ('87dc7dde-3fee-423b-ba1a-9678f0a81e83', '{"seq": 1, "hash": "909274a29c2a59b3f372a474bb6caac228fdedea38119127ea591559f767f563", "commits": 1}', 1794993139384);
INSERT INTO lockstep.answers VALUES ('089fb5de-9ab6-4048-bd16-5f0f74a95aed', '{"seq": 2, "hash": "20aa68c9dd3ad696963a1b2749a2e4f59916c6f60d593221dde787bf16ad1e57", "commits": 2}', 1794993139589);
INSERT INTO lockstep.answers VALUES ('f3884068-9a00-4f06-b016-23bf33a50cc5', '{"seq": 3, "hash": "3523eb43437beeac0b2e922d1a6a82a3fb27ebeb670053e72e32beed4ef898c4", "commits": 3}', 1794993139748);
INSERT INTO lockstep.attempts VALUES ('T-1#1', 1, '{"agent":"agent","beatAt":"2026-11-18T09:12:19.732Z","endedAt":null,"epoch":1,"lease":{"beatMs":1794993139732,"boot":"ledger","timeoutSeconds":900},"leaseState":"running","machine":"119fb0d01a992de1","minutesMax":15,"number":1,"runner":null,"startedAt":"2026-11-18T09:12:19.732Z","startedMs":1794993139732,"task":"T-1","tokens":0,"version":1,"warned":[],"worklogBytes":0}', 'T-1', 1, 'running');
INSERT INTO lockstep.clock VALUES (true, 1794993139359, '7709436821824039928/1/1794993138.365898', 0);
INSERT INTO lockstep.dependencies VALUES ('T-1', 'T-2');
INSERT INTO lockstep.events VALUES (1, '{"actor":"person","at":"2026-11-18T09:12:19.379Z","cause":"task-add","data":{"title":"Sum up"},"from":null,"seq":1,"task":"T-1","to":"PENDING","type":"task.created"}', '909274a29c2a59b3f372a474bb6caac228fdedea38119127ea591559f767f563', 'T-1', 'task.created');
INSERT INTO lockstep.events VALUES (2, '{"actor":"person","at":"2026-11-18T09:12:19.579Z","cause":"task-add","data":{"title":"Write an invoice"},"from":null,"seq":2,"task":"T-2","to":"PENDING","type":"task.created"}', '20aa68c9dd3ad696963a1b2749a2e4f59916c6f60d593221dde787bf16ad1e57', 'T-2', 'task.created');
INSERT INTO lockstep.events VALUES (3, '{"actor":"person","at":"2026-11-18T09:12:19.732Z","cause":"dispatch","data":{"agent":"agent","waitingFor":[]},"from":"PENDING","seq":3,"task":"T-1","to":"IN_PROGRESS","type":"task.started"}', '3523eb43437beeac0b2e922d1a6a82a3fb27ebeb670053e72e32beed4ef898c4', 'T-1', 'task.started');
INSERT INTO lockstep.lock_prefixes VALUES ('src', 1);
INSERT INTO lockstep.lock_prefixes VALUES ('.agents-work/worklogs/T-1.md', 2);
INSERT INTO lockstep.locks VALUES (1, '{"epoch":1,"kind":"path","resource":"src","shapes":[{"deep":true,"segments":["src"]}],"takenAt":"2026-11-18T09:12:19.732Z","task":"T-1"}', 'T-1', 'path', 'src', true, NULL);
INSERT INTO lockstep.locks VALUES (2, '{"epoch":1,"kind":"path","resource":".agents-work/worklogs/T-1.md","shapes":[{"deep":false,"segments":[".agents-work","worklogs","T-1.md"]}],"takenAt":"2026-11-18T09:12:19.732Z","task":"T-1"}', 'T-1', 'path', '.agents-work/worklogs/T-1.md', true, NULL);
INSERT INTO lockstep.machines VALUES ('119fb0d01a992de1', '{"name":"build-1","lockstep":"0.1.0"}', 1794993139359);
INSERT INTO lockstep.meta VALUES (true, 1, '0.1.0', '708551be257f6704', 'eaee686ae280afce413565b22ae62e596506241dceda9054f497eea855d0d1be', 1, 3, 3, '3523eb43437beeac0b2e922d1a6a82a3fb27ebeb670053e72e32beed4ef898c4', NULL);
INSERT INTO lockstep.tasks VALUES ('T-2', 1, '{"agent":"agent","assignment":{"acceptance_criteria":["cmd: true"],"forbidden_scope":[],"heartbeat_interval_seconds":60,"lock_scope":["lib"],"timeout_seconds":900,"worklog_path":".agents-work/worklogs/T-2.md"},"attempts":0,"batch":null,"commit":null,"contextRevision":null,"counters":{"block_retries":0,"dispatch_retries":0,"gate_reasks":0,"persist_retries":0,"remediation":0,"repair_loops":{},"review_retries":0},"createdAt":"2026-11-18T09:12:19.579Z","dependsOn":["T-1"],"epoch":0,"evidence":[],"fixDelta":null,"hold":null,"id":"T-2","key":"T-2","model":null,"proof":null,"refusal":null,"resolution":null,"result":null,"revertedBy":null,"session":null,"state":"PENDING","streak":null,"terms":{"assignment":{"acceptance_criteria":["cmd: true"],"forbidden_scope":[],"heartbeat_interval_seconds":60,"lock_scope":["lib"],"timeout_seconds":900,"worklog_path":".agents-work/worklogs/T-2.md"},"depends_on":["T-1"],"title":"Write an invoice"},"title":"Write an invoice","tokens":0,"tokensForgiven":0,"type":null,"updatedAt":"2026-11-18T09:12:19.579Z","version":1}', 'PENDING', NULL, NULL);
INSERT INTO lockstep.tasks VALUES ('T-1', 3, '{"agent":"agent","assignment":{"acceptance_criteria":["cmd: true"],"forbidden_scope":[],"heartbeat_interval_seconds":60,"lock_scope":["src"],"timeout_seconds":900,"worklog_path":".agents-work/worklogs/T-1.md"},"attempts":1,"base":"66e91fcad26c6f3a7a0d3c6da67a2c2d33f49a0b","batch":null,"commit":null,"contextRevision":null,"continued":null,"counters":{"block_retries":0,"dispatch_retries":0,"gate_reasks":0,"persist_retries":0,"remediation":0,"repair_loops":{},"review_retries":0},"createdAt":"2026-11-18T09:12:19.379Z","dependsOn":[],"epoch":1,"evidence":[],"fixDelta":null,"hold":null,"id":"T-1","key":"T-1","model":null,"proof":null,"refusal":null,"resolution":null,"result":null,"revertedBy":null,"session":null,"state":"IN_PROGRESS","streak":null,"terms":{"assignment":{"acceptance_criteria":["cmd: true"],"forbidden_scope":[],"heartbeat_interval_seconds":60,"lock_scope":["src"],"timeout_seconds":900,"worklog_path":".agents-work/worklogs/T-1.md"},"title":"Sum up"},"title":"Sum up","tokens":0,"tokensForgiven":0,"type":null,"updatedAt":"2026-11-18T09:12:19.732Z","version":3}', 'IN_PROGRESS', NULL, NULL);
ALTER TABLE ONLY lockstep.answers
    ADD CONSTRAINT answers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY lockstep.archived
    ADD CONSTRAINT archived_pkey PRIMARY KEY (task);
ALTER TABLE ONLY lockstep.attempts
    ADD CONSTRAINT attempts_pkey PRIMARY KEY (key);
ALTER TABLE ONLY lockstep.clock
    ADD CONSTRAINT clock_pkey PRIMARY KEY (one);
ALTER TABLE ONLY lockstep.decisions
    ADD CONSTRAINT decisions_pkey PRIMARY KEY (key);
ALTER TABLE ONLY lockstep.dependencies
    ADD CONSTRAINT dependencies_pkey PRIMARY KEY (needed, task);
ALTER TABLE ONLY lockstep.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY lockstep.evidence
    ADD CONSTRAINT evidence_pkey PRIMARY KEY (key);
ALTER TABLE ONLY lockstep.intents
    ADD CONSTRAINT intents_pkey PRIMARY KEY (id);
ALTER TABLE ONLY lockstep.lock_prefixes
    ADD CONSTRAINT lock_prefixes_pkey PRIMARY KEY (prefix, lock);
ALTER TABLE ONLY lockstep.locks
    ADD CONSTRAINT locks_pkey PRIMARY KEY (id);
ALTER TABLE ONLY lockstep.machines
    ADD CONSTRAINT machines_pkey PRIMARY KEY (id);
ALTER TABLE ONLY lockstep.meta
    ADD CONSTRAINT meta_pkey PRIMARY KEY (one);
ALTER TABLE ONLY lockstep.requests
    ADD CONSTRAINT requests_pkey PRIMARY KEY (key);
ALTER TABLE ONLY lockstep.roles
    ADD CONSTRAINT roles_pkey PRIMARY KEY (key);
ALTER TABLE ONLY lockstep.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (key);
ALTER TABLE ONLY lockstep.settings
    ADD CONSTRAINT settings_pkey PRIMARY KEY (key);
ALTER TABLE ONLY lockstep.tasks
    ADD CONSTRAINT tasks_pkey PRIMARY KEY (key);
CREATE INDEX attempts_by_task ON lockstep.attempts USING btree (task, number);
CREATE INDEX attempts_running ON lockstep.attempts USING btree (key) WHERE (lease_state = 'running'::text);
CREATE INDEX decisions_by_state ON lockstep.decisions USING btree (state, key);
CREATE INDEX dependencies_by_task ON lockstep.dependencies USING btree (task);
CREATE INDEX events_by_task ON lockstep.events USING btree (task, seq) WHERE (task IS NOT NULL);
CREATE INDEX events_by_type ON lockstep.events USING btree (type, seq);
CREATE INDEX intents_open ON lockstep.intents USING btree (id) WHERE (NOT done);
CREATE INDEX lock_prefixes_by_lock ON lockstep.lock_prefixes USING btree (lock);
CREATE INDEX locks_active ON lockstep.locks USING btree (id) WHERE active;
CREATE INDEX locks_by_task ON lockstep.locks USING btree (task);
CREATE INDEX locks_on_resource ON lockstep.locks USING btree (resource) WHERE (active AND (kind = 'resource'::text));
CREATE INDEX tasks_by_session ON lockstep.tasks USING btree (session, state, key);
CREATE INDEX tasks_by_state ON lockstep.tasks USING btree (state, key);
CREATE INDEX tasks_waiting ON lockstep.tasks USING btree (waits_for, key) WHERE (waits_for IS NOT NULL);
CREATE TRIGGER events_are_appended BEFORE INSERT ON lockstep.events FOR EACH ROW EXECUTE FUNCTION lockstep.append();
CREATE TRIGGER events_stay BEFORE DELETE OR UPDATE OR TRUNCATE ON lockstep.events FOR EACH STATEMENT EXECUTE FUNCTION lockstep.refuse('an event is never changed or deleted');
CREATE TRIGGER intents_stay BEFORE DELETE OR TRUNCATE ON lockstep.intents FOR EACH STATEMENT EXECUTE FUNCTION lockstep.refuse('an intent is never deleted');
CREATE TRIGGER locks_keep_their_owner BEFORE UPDATE ON lockstep.locks FOR EACH ROW WHEN (((new.id <> old.id) OR (new.task <> old.task) OR (new.resource <> old.resource) OR (new.body <> old.body))) EXECUTE FUNCTION lockstep.refuse('a lock keeps its task and its resource');
CREATE TRIGGER locks_stay BEFORE DELETE OR TRUNCATE ON lockstep.locks FOR EACH STATEMENT EXECUTE FUNCTION lockstep.refuse('a lock is never deleted');
