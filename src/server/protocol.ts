/** One request per connection, as one line of JSON in each direction. Both sides enforce these limits. */
export const protocolVersion = 1;
export const requestBytesMax = 1024 * 1024;
export const readMsMax = 2000;

export interface HostRequest {
  readonly version: number;
  readonly operation: string;
  readonly input: unknown;
  readonly call: {
    readonly role?: string;
    readonly task?: string;
    readonly epoch?: number;
    readonly token?: string;
    readonly key?: string;
    readonly dryRun?: boolean;
  };
}
