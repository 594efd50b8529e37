import { clientNames } from "../../contract/client-names.ts";

/** The socket for the bare payloads of one client. */
export function clientSocket(base: string, client: string): string {
  return `${base}.${client}`;
}

/** The longest suffix that is appended to the path of the server's socket. */
export const clientNameBytesMax = Math.max(...clientNames.map((name) => clientSocket("", name).length));
