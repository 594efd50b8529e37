import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";

const inBothCases = (name: string) => [name.toUpperCase(), name.toLowerCase()];

/** The values of these variables are a file or a folder. */
const certificates: readonly string[] = [
  ...["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"],
  ...["PIP_CERT", "GIT_SSL_CAINFO", ...inBothCases("npm_config_cafile")],
];

/** Variables that programs need behind a proxy or with a private registry. */
export const networkVariables: readonly string[] = [
  ...["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY"].flatMap(inBothCases),
  ...["registry", "proxy", "https_proxy", "noproxy"].flatMap((name) => inBothCases(`npm_config_${name}`)),
  ...certificates,
];

/** The variables that are set, and the files that they name. A certificate that does not exist is left out. */
export function networkAccess(variables: NodeJS.ProcessEnv = process.env): {
  readonly env: Readonly<Record<string, string>>;
  readonly files: readonly string[];
} {
  const isThere = (path: string) => isAbsolute(path) && existsSync(path);
  const set = networkVariables.flatMap((name) => {
    const value = variables[name];
    if (value === undefined) return [];
    return certificates.includes(name) && !isThere(value) ? [] : [[name, value] as const];
  });
  const files = set.filter(([name]) => certificates.includes(name)).map(([, path]) => path);
  return { env: Object.fromEntries(set), files: [...new Set(files)] };
}
