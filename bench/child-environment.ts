/** The environment for measured processes: NODE_EXTRA_CA_CERTS alone doubles the start of Node. */
export function childEnvironment(): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS: _certificates, NODE_OPTIONS: _options, ...rest } = process.env;
  return rest;
}
