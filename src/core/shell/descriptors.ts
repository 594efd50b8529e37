import { resolveDots } from "../paths/locate.ts";
import { known, knownStart, type Text } from "./text.ts";

/**
 * Where a descriptor leads: `given` is an output that the command was started with, `unknown` was opened elsewhere. A
 * file counts even if it was opened for reading, because `/dev/fd/N` can open it again for writing.
 */
export type Descriptor = "given" | "unknown" | { readonly file: Text };
export type Descriptors = ReadonlyMap<number, Descriptor>;

export const givenDescriptors: Descriptors = new Map([
  [1, "given"],
  [2, "given"],
]);

/** The descriptor that a path names: `/dev/stdout`, `/dev/fd/3`, `/proc/self/fd/3`. */
function descriptorOf(path: string | undefined): number | undefined {
  if (path === undefined || !/^\/+(?:dev|proc)\//.test(path)) return undefined;
  const [, stream, number] =
    /^\/(?:dev\/std(in|out|err)|(?:dev|proc\/(?:self|thread-self))\/fd\/(\d+))$/.exec(resolveDots(path)) ??
    [];
  if (number !== undefined) return Number(number);
  return stream === undefined ? undefined : ["in", "out", "err"].indexOf(stream);
}

/** The file that a path such as `/dev/fd/3` leads to, or the target itself; undefined if no file is written. */
export function fileBehind(target: Text, descriptors: Descriptors): Text | undefined {
  const number = descriptorOf(known(target));
  const to = number === undefined ? undefined : descriptors.get(number);
  if (to === "given") return undefined;
  return to === undefined || to === "unknown" ? target : to.file;
}

/** `/dev/fd/$fd`: a descriptor whose number is unknown before the command runs. */
export function asDescriptor(text: Text): Text {
  const isOne = text.length > 1 && /^\/+(?:dev|proc\/[^/]+)\/+fd\/\d*$/.test(knownStart(text));
  return isOne ? [{ kind: "pipe", content: undefined, isFile: true }] : text;
}

export function agreedDescriptors(a: Descriptors, b: Descriptors): Descriptors {
  if (sameDescriptors(a, b)) return a;
  const numbers = new Set([...a.keys(), ...b.keys()]);
  return new Map(
    [...numbers].map((number) => [number, sameDescriptor(a.get(number), b.get(number)) ?? "unknown"]),
  );
}

export function sameDescriptors(a: Descriptors, b: Descriptors): boolean {
  if (a === b) return true;
  return a.size === b.size && [...a].every(([number, to]) => sameDescriptor(to, b.get(number)) !== undefined);
}

function sameDescriptor(a: Descriptor | undefined, b: Descriptor | undefined): Descriptor | undefined {
  return JSON.stringify(a) === JSON.stringify(b) ? a : undefined;
}
