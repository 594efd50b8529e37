import { isPlaceholder, looksLikeSecretValue } from "./looks-like-secret-value.ts";
import type { SecretFinding } from "./secret-finding.ts";

interface OwnRule {
  readonly rule: string;
  /** Group 1, if present, is the text before the secret; the rest of the match is the secret. */
  readonly pattern: RegExp;
  readonly accepts?: (secret: string) => boolean;
}

/**
 * Every pattern is linear: it begins with fixed words or at the start of a token, repetitions are bounded and not
 * nested, and adjacent parts share no characters, so there is no backtracking between them.
 */
const OWN_RULES: readonly OwnRule[] = [
  {
    rule: "aws-access-key-id",
    pattern: /(?<![A-Za-z0-9])A(?:KIA|SIA)[A-Z0-9]{16}(?![A-Za-z0-9])/g,
    accepts: (secret) => !secret.includes("XXXXXX"),
  },
  {
    rule: "aws-secret-key",
    pattern:
      /((?:secret[_ -]?(?:access[_ -]?)?key|aws[\w -]{0,16}(?:secret|key))\\?["']?\s{0,8}(?:=>|[:=])\s{0,8}\\?["']?)[a-z0-9/+]{40}(?![a-z0-9/+])/gi,
    accepts: (secret) => /[A-Z]/.test(secret) && /[0-9/+]/.test(secret),
  },
  { rule: "anthropic-key", pattern: /(?<![A-Za-z0-9])sk-ant-[\w-]{16,512}/g },
  { rule: "sk-key", pattern: /(?<![A-Za-z0-9])sk-[A-Za-z0-9]{20,512}(?![\w-])/g },
  { rule: "sk-key", pattern: /(?<![A-Za-z0-9])sk-[\w-]{20,512}/g, accepts: isMixed },
  { rule: "stripe-key", pattern: /(?<![A-Za-z0-9])[sr]k_(?:live|test)_[A-Za-z0-9]{10,256}/g },
  { rule: "stripe-webhook-secret", pattern: /(?<![A-Za-z0-9])whsec_[A-Za-z0-9+/]{16,256}={0,2}/g },
  { rule: "google-api-key", pattern: /(?<![\w/+-])AIza[\w-]{32,40}(?![\w-])/g },
  { rule: "google-oauth", pattern: /(?<![A-Za-z0-9])ya29\.[\w.-]{16,2048}/g },
  { rule: "google-oauth", pattern: /(?<![A-Za-z0-9])GOCSPX-[\w-]{16,64}/g },
  { rule: "google-oauth", pattern: /(?<![\w/:.])1\/\/0[\w-]{40,256}/g },
  { rule: "azure-account-key", pattern: /((?:Account|SharedAccess)Key=)[A-Za-z0-9+/]{40,128}={0,2}/gi },
  { rule: "azure-client-secret", pattern: /(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{30,40}/g },
  { rule: "azure-sas", pattern: /([?&;]sig=)[A-Za-z0-9%+/]{30,256}={0,2}/gi },
  { rule: "jwt", pattern: /(?<![\w-])eyJ[\w-]{5,8192}\.eyJ[\w-]{5,8192}\.[\w-]{5,2048}/g },
  {
    rule: "authorization-header",
    pattern:
      /(authorization\\?["'`]?\s{0,8}[:=]\s{0,8}\\?["'`]?(?:bearer|token|apikey|digest)[ \t]{1,8})[\w.~+/=:-]{8,4096}/gi,
    accepts: (secret) => looksLikeSecretValue(secret, { kind: "key", literal: true }),
  },
  {
    rule: "bearer-token",
    pattern: /((?<![A-Za-z0-9])bearer[ \t]{1,8})[\w.~+/-]{16,4096}={0,2}/gi,
    accepts: (secret) => looksLikeSecretValue(secret, { kind: "key", literal: false }),
  },
  {
    rule: "basic-credentials",
    pattern: /((?<![A-Za-z0-9])basic[ \t]{1,8})[a-z0-9+/]{8,1024}={0,2}/gi,
    accepts: isBasicCredential,
  },
  {
    rule: "basic-credentials",
    pattern: /((?<![\w-])(?:-u|--user)[ =]["']?[\w.@-]{1,64}:)[^\s"'`:]{6,128}/g,
    accepts: (secret) => looksLikeSecretValue(secret, { kind: "password", literal: false }),
  },
  {
    rule: "url-credentials",
    pattern: /(:\/\/[^\s/:@"'`<>]{0,256}:)[^\s/@"'`<>]{1,256}(?=@[\w[])/g,
    accepts: (secret) => !isPlaceholder(secret),
  },
  { rule: "url-credentials", pattern: /(:\/\/)[^\s/:@"'`<>]{4,256}(?=:x-oauth-basic@)/g },
  { rule: "github-token", pattern: /(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9_]{20,1024}/g, accepts: isMixed },
  { rule: "github-token", pattern: /(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{22,255}/g, accepts: isMixed },
  { rule: "gitlab-token", pattern: /(?<![A-Za-z0-9])gl(?:pat|dt|rt|cbt|ptt|soat)-[\w-]{20,512}/g },
  { rule: "slack-token", pattern: /(?<![A-Za-z0-9])xox[abeoprs]-[A-Za-z0-9-]{10,512}/g, accepts: isMixed },
  { rule: "slack-token", pattern: /(?<![A-Za-z0-9])xapp-\d-[A-Za-z0-9-]{10,512}/g },
  {
    rule: "slack-webhook",
    pattern: /(hooks\.slack\.com\/(?:services|workflows|triggers)\/)[A-Za-z0-9/_-]{20,256}/gi,
  },
  { rule: "npm-token", pattern: /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{30,128}/g },
  {
    rule: "pypi-token",
    pattern: /(?<![A-Za-z0-9])pypi-(?:AgE[\w-]{12,1024}|[\w-]{40,1024})/g,
    accepts: isMixed,
  },
  { rule: "sendgrid-key", pattern: /(?<![A-Za-z0-9])SG\.[\w-]{16,64}\.[\w-]{16,128}/g },
  { rule: "twilio-key", pattern: /(?<![A-Za-z0-9])(?:SK|AC)[0-9a-f]{32}(?![A-Za-z0-9])/g },
  { rule: "discord-token", pattern: /(?<![\w-])[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,45}(?![\w-])/g },
  { rule: "discord-webhook", pattern: /(discord(?:app)?\.com\/api\/webhooks\/\d{5,25}\/)[\w-]{40,128}/gi },
  { rule: "telegram-token", pattern: /(?<![\w.])\d{6,12}:[\w-]{33,36}(?![\w-])/g, accepts: isMixed },
  { rule: "mailgun-key", pattern: /(?<![\w-])key-[0-9a-f]{32}(?![A-Za-z0-9])/g },
  { rule: "huggingface-token", pattern: /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,128}/g },
  { rule: "digitalocean-token", pattern: /(?<![A-Za-z0-9])do[opr]_v1_[0-9a-f]{40,128}/g },
  { rule: "shopify-token", pattern: /(?<![A-Za-z0-9])shp(?:at|ca|pa|ss)_[A-Za-z0-9]{32,64}/g },
  { rule: "linear-key", pattern: /(?<![A-Za-z0-9])lin_(?:api|oauth)_[A-Za-z0-9]{30,128}/g },
  { rule: "databricks-token", pattern: /(?<![A-Za-z0-9])dapi[0-9a-f]{32}(?:-\d)?(?![A-Za-z0-9])/g },
  { rule: "vault-token", pattern: /(?<![A-Za-z0-9])hv[sbr]\.[\w-]{20,512}/g },
  {
    // Doppler, xAI, Replicate, Perplexity, Fly, Supabase, PlanetScale, Heroku, Atlassian.
    rule: "service-token",
    pattern:
      /(?<![A-Za-z0-9])(?:dp\.pt\.|xai-|r8_|pplx-|fm2_|sbp_|pscale_tkn_|HRKU-|ATATT3xFfGF0)[\w+/=-]{24,512}/g,
    accepts: isMixed,
  },
  { rule: "terraform-token", pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,128}/g },
  {
    rule: "password-argument",
    pattern: /(sshpass[ \t]{1,4}-p[ \t]{0,4}["']?)[^\s"']{6,128}/g,
    accepts: (secret) => looksLikeSecretValue(secret, { kind: "password", literal: false }),
  },
  { rule: "age-secret-key", pattern: /(?<![A-Za-z0-9])AGE-SECRET-KEY-[A-Z0-9-]{20,4096}/gi },
];

/** Finds secrets by their shape or by a fixed word right before them. */
export function findByOwnRules(text: string): SecretFinding[] {
  const findings: SecretFinding[] = [];
  for (const { rule, pattern, accepts } of OWN_RULES) {
    for (const match of text.matchAll(pattern)) {
      const start = match.index + (match[1]?.length ?? 0);
      const end = match.index + match[0].length;
      if (accepts === undefined || accepts(text.slice(start, end))) findings.push({ rule, start, end });
    }
  }
  return findings;
}

/** Distinguishes a key from a long hyphenated name: it has digits and capitals, or many digits. */
function isMixed(value: string): boolean {
  const digits = value.replace(/\D/g, "").length;
  return digits >= 5 || (digits >= 1 && /[A-Z]/.test(value));
}

/** Base64 of "user:password" in printable characters, as in a Basic header. */
function isBasicCredential(encoded: string): boolean {
  try {
    return /^[\x20-\x7e]{0,256}:[\x20-\x7e]{1,512}$/.test(atob(encoded));
  } catch {
    return false;
  }
}
