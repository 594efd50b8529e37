import fc from "fast-check";
import { type PointName, pointNames } from "../../src/core/points/points.ts";
import { payloadBytesMax } from "../../src/hooks/run-point.ts";
import { mutatedCall } from "../../test/support/mutated-payloads.ts";

/** Random calls of the hook points, for scripts/fuzz.ts. */
export interface HookInput {
  readonly point: PointName;
  readonly bytes: Uint8Array;
}

const bytesMax = 1_000_000;
const anyPoint = fc.constantFrom(...pointNames);
const encode = (text: string) => new TextEncoder().encode(text);

export const randomBytes: fc.Arbitrary<HookInput> = fc.record({
  point: anyPoint,
  bytes: fc.uint8Array({ maxLength: 400 }),
});

export const randomJson: fc.Arbitrary<HookInput> = fc
  .tuple(anyPoint, fc.oneof(fc.json({ maxDepth: 7 }), fc.json({ stringUnit: "binary" }), nestedJson()))
  .map(([point, text]) => ({ point, bytes: encode(text) }));

export const mutatedPayload: fc.Arbitrary<HookInput> = mutatedCall.map(({ point, payload }) => ({
  point,
  bytes: encode(JSON.stringify(payload)),
}));

/** A valid payload with bytes cut, doubled or overwritten: mostly broken JSON, or text that is not UTF-8. */
export const mutatedBytes: fc.Arbitrary<HookInput> = fc
  .tuple(
    mutatedPayload,
    fc.array(fc.tuple(fc.nat(), fc.nat(30), fc.uint8Array({ maxLength: 8 })), { maxLength: 4 }),
  )
  .map(([{ point, bytes }, cuts]) => {
    let mutated = [...bytes];
    for (const [at, length, put] of cuts) {
      const from = at % (mutated.length + 1);
      mutated = [...mutated.slice(0, from), ...put, ...mutated.slice(from + length)];
    }
    return { point, bytes: Uint8Array.from(mutated) };
  });

function nestedJson(): fc.Arbitrary<string> {
  const open = fc.constantFrom(
    '{"assignment":',
    '{"snapshot":',
    '{"result":',
    "[",
    '{"locks":[',
    '{"__proto__":',
  );
  return fc.tuple(open, fc.integer({ min: 1, max: 20_000 })).map(([text, depth]) => {
    const closing = [...text].reverse().map((character) => ({ "{": "}", "[": "]" })[character] ?? "");
    return `${text.repeat(depth)}null${closing.join("").repeat(depth)}`;
  });
}

/** Long tables and long paths of one repeated piece, up to the maximum size of a payload. */
export const longPayload: fc.Arbitrary<HookInput> = fc
  .record({
    point: fc.constantFrom("PreDispatch", "PreWrite", "OnLockUpdate"),
    piece: fc.oneof(
      fc.string({ unit: fc.constantFrom(..."{},*?[]!/.~\\a:"), minLength: 1, maxLength: 6 }),
      fc.constantFrom("**/", "a/", "../", "{a,b}", "{a,", "[a-z]", "*a", "@(a|b)", "é"),
    ),
    length: fc.integer({ min: 1, max: 4000 }),
    count: fc.integer({ min: 1, max: 15_000 }),
  })
  .map(({ point, piece, length, count }) => {
    const path = piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
    const paths = Array.from(
      { length: Math.min(count, Math.floor(bytesMax / (length + 60))) },
      (_, at) => path + at,
    );
    return { point, bytes: encode(JSON.stringify(tableOf(point, paths))).subarray(0, payloadBytesMax) };
  });

function tableOf(point: string, paths: readonly string[]): unknown {
  const locks = paths.map((resource, at) => ({ task_id: `T-${at}`, resource, active: true }));
  if (point === "OnLockUpdate") return locks;
  const assignment = {
    lock_scope: paths.slice(0, 500),
    forbidden_scope: paths.slice(500, 900),
    acceptance_criteria: ["tests pass"],
    worklog_path: "worklogs/T-123.md",
    timeout_seconds: 1200,
    heartbeat_interval_seconds: 120,
  };
  const writes = paths.slice(900).map((resource) => ({ resource, action: "edit" }));
  return { task_id: "T-123", assignment, writes, active_locks: locks.slice(900) };
}
