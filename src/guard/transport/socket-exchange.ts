import { isTriedNode } from "./tried-node.ts";

/** Node's internal handles, on which `net` is built. Loading `net` takes a fifth of a hook call. */
interface BarePipe {
  onread: ((bytes: ArrayBuffer | undefined) => void) | undefined;
  connect(request: Waiting, path: string): number | undefined;
  readStart(): number;
  writeBuffer(request: Waiting, bytes: Uint8Array): number;
  shutdown(request: Waiting): number;
  close(): void;
}

interface Waiting {
  oncomplete?: (status: number) => void;
  buffer?: Uint8Array;
}

interface Handles {
  readonly Pipe: new (kind: number) => BarePipe;
  readonly PipeConnectWrap: new () => Waiting;
  readonly constants: { readonly SOCKET: number };
  readonly WriteWrap: new () => Waiting;
  readonly ShutdownWrap: new () => Waiting;
  readonly streamBaseState: Readonly<Record<number, number>>;
  readonly kReadBytesOrError: number;
  readonly kArrayBufferOffset: number;
}

export interface Exchange {
  /** The whole request. After it, the sending side is closed. */
  readonly request: Uint8Array;
  onData(chunk: Buffer): void;
  onEnd(): void;
  onError(error: Error): void;
}

/** Exchanges data on a unix socket. Returns the function that closes it. */
export function exchangeOn(path: string, exchange: Exchange): () => void {
  const handles = bareHandles();
  return handles === undefined ? exchangeThroughNet(path, exchange) : exchangeBare(handles, path, exchange);
}

/** The handles are deprecated, and not available with `--permission`. */
function bareHandles(): Handles | undefined {
  if (!isTriedNode()) return undefined;
  const { binding } = process as unknown as { readonly binding: (name: string) => Handles };
  try {
    return { ...binding("pipe_wrap"), ...binding("stream_wrap") };
  } catch {
    return undefined; // fall back to `net`
  }
}

function exchangeBare(handles: Handles, path: string, { request, ...on }: Exchange): () => void {
  const { streamBaseState, kReadBytesOrError, kArrayBufferOffset } = handles;
  const pipe = new handles.Pipe(handles.constants.SOCKET);
  const check = (status: number | undefined) => {
    if (status !== undefined && status < 0) on.onError(systemError(status));
  };
  const waiting = (kind: new () => Waiting, then: (status: number) => void) =>
    Object.assign(new kind(), { oncomplete: then });
  pipe.onread = (bytes) => {
    const read = streamBaseState[kReadBytesOrError] ?? 0;
    if (bytes !== undefined && read > 0)
      on.onData(Buffer.from(bytes, streamBaseState[kArrayBufferOffset], read));
    else if (read < 0) on.onEnd();
  };
  const send = () => {
    check(pipe.readStart());
    // The buffer must stay referenced until it is sent.
    check(pipe.writeBuffer(Object.assign(waiting(handles.WriteWrap, check), { buffer: request }), request));
    check(pipe.shutdown(waiting(handles.ShutdownWrap, check)));
  };
  check(
    pipe.connect(
      waiting(handles.PipeConnectWrap, (status) => (status < 0 ? check(status) : send())),
      path,
    ),
  );
  return () => pipe.close();
}

function systemError(status: number): Error {
  const code = process.getBuiltinModule("node:util").getSystemErrorName(status);
  return Object.assign(new Error(`its socket failed with ${code}`), { code });
}

function exchangeThroughNet(path: string, { request, onData, onEnd, onError }: Exchange): () => void {
  const socket = process.getBuiltinModule("node:net").connect(path);
  socket.on("data", onData).on("end", onEnd).on("error", onError).end(request);
  return () => socket.destroy();
}
