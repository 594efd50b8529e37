import { delimiter, dirname } from "node:path";

/** The environment for measured processes: with this Node, and without NODE_EXTRA_CA_CERTS, which doubles its start. */
export function childEnvironment(): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS: _certificates, NODE_OPTIONS: _options, PATH = "", ...rest } = process.env;
  return { ...rest, PATH: [dirname(process.execPath), PATH].join(delimiter) };
}
