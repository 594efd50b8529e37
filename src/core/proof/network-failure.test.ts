import { expect, it } from "vitest";
import { isNetworkFailure } from "./network-failure.ts";

it.each([
  "npm error code SELF_SIGNED_CERT_IN_CHAIN",
  "npm error code UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "npm error request to https://registry.npmjs.org/x failed, reason: getaddrinfo EAI_AGAIN registry.npmjs.org",
  "npm error network request to http://10.0.0.1/x failed, reason: connect ECONNREFUSED 10.0.0.1:80",
  "WARNING: Retrying after connection broken by 'SSLError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed')'",
  "pip._vendor.urllib3.exceptions.MaxRetryError: Max retries exceeded with url: /simple/x/",
  "ERROR: Could not connect: [Errno -3] Temporary failure in name resolution",
  "error: Failed to fetch: invalid peer certificate: UnknownIssuer",
  'go: x@v1: Get "https://proxy.golang.org/x": dial tcp: lookup proxy.golang.org: no such host',
  "fatal: unable to access 'https://github.com/x/': Could not resolve host: github.com",
  "curl: (56) Proxy Authentication Required",
  "error: failed to download: SSL certificate problem: unable to get local issuer certificate",
])("%s is a network failure", (line) => {
  expect(isNetworkFailure(`something before\n${line}\nafter`)).toBe(true);
});

it.each([
  "npm error notarget No matching version found for left-pad@99",
  "npm error code ERESOLVE",
  "ERROR: No matching distribution found for certifi==0",
  "npm error missing script: build-proxy",
  "error: package certificate-tools does not exist",
])("%s is not a network failure", (line) => {
  expect(isNetworkFailure(line)).toBe(false);
});
