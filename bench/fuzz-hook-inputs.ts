import fc from "fast-check";
import { type PointName, pointNames } from "../src/core/points/points.ts";
import { mutatedCall } from "../test/support/mutated-payloads.ts";

/** Random calls of the hook points, for scripts/fuzz.ts. */
export interface HookInput {
  readonly point: PointName;
  readonly bytes: Uint8Array;
}

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
