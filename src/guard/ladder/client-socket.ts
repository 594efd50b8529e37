/** Where the warm process takes the bare payloads of one client. */
export function clientSocket(base: string, client: string): string {
  return `${base}.${client}`;
}

/** The longest name that is put behind the path of the server's socket. */
export const clientNameBytesMax = ".opencode".length;
