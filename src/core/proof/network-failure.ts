const certificate =
  /SELF_SIGNED_CERT|UNABLE_TO_(?:GET_ISSUER|VERIFY)|CERT_(?:HAS_EXPIRED|UNTRUSTED)|certificate (?:verify failed|signed by unknown|problem)|(?:unable to get|invalid) (?:local )?(?:issuer|peer) certificate|CERTIFICATE_VERIFY_FAILED|UnknownIssuer|x509:/i;
const unreachable =
  /\b(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ERR_SOCKET_TIMEOUT)\b|could not resolve (?:host|proxy)|(?:temporary failure in|failure in) name resolution|name or service not known|network is unreachable|connection (?:refused|timed out)|max retries exceeded|(?:cannot|unable to) connect to proxy|tunnel(?:ing)? (?:connection|socket)|proxy authentication required|dial tcp|dns error/i;

/** Whether a tool's output says that it could not reach or does not trust a server. */
export function isNetworkFailure(output: string): boolean {
  return certificate.test(output) || unreachable.test(output);
}

/** The environment variables that a setup had, and how to pass more. */
export function networkHint(passed: readonly string[]): string {
  const names = passed.length === 0 ? "none of these is set" : `set: ${passed.join(", ")}`;
  return `the setup could not reach its server, or does not trust it: it gets \`workspace.env_pass\` (PATH, HOME and LANG) and the variables for proxies and certificates, such as HTTPS_PROXY and NODE_EXTRA_CA_CERTS (${names}); \`workspace: { env_pass: [PATH, HOME, LANG, NAME] }\` passes others`;
}
