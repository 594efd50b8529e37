/**
 * A looser alternative for each pattern of the preset (13.0.7): its fixed words and at least part of the characters
 * that must follow. Boundaries, maximum lengths and checks are dropped, so a text that matches none of these cannot
 * be flagged by the preset. The tests generate matches for every pattern of the installed preset, so they fail if
 * an update adds one.
 *
 * Two rules are not covered because they never run: gcp reads only .json and .p12 files, and the `_authToken` rule of
 * npm only .npmrc files; the scanned text has no file name.
 */
const PRESET_ANCHORS: readonly string[] = [
  "secret_?access_?key", // aws
  "private key", // privatekey
  "x-oauth-basic@github", // npm
  "npm_[a-z0-9_]{36}",
  // basicauth, database-connection-string: user (at most 256) ":" password (at most 256) "@"
  "://[^\\s/@]{0,513}@",
  "xox[bpaor]-[a-z0-9]", // slack
  "xapp-[a-z0-9]",
  "hooks\\.slack\\.com/services/",
  "sg\\.\\w{1,128}\\.\\w", // sendgrid
  "shp(?:pa|ca|at|ss)_[a-z0-9]{32}", // shopify
  "[sr]k_(?:live|test)_[a-z0-9]{24}", // stripe
  "gh[pousr]_[a-z0-9_]{36}", // github
  "ghs_[0-9]{1,20}_",
  "github_pat_[a-z0-9_]{82}",
  "glpat-[a-z0-9_-]{20}", // gitlab
  "glc_[a-z0-9+/]{32}", // grafana
  "glsa_[a-z0-9]{32}",
  "t3blbkfj", // openai
  "sk-ant-api0", // anthropic
  "gsk_[a-z0-9]{52}", // groq
  "hf_[a-z]{34}", // huggingface
  "lin_api_[a-z0-9_]{32}", // linear
  "ntn_[0-9]{11}", // notion
  "ops_ey[a-z0-9+/=]{100}", // 1password
  "hv[sbr]\\.[a-z0-9_-]{90}", // hashicorp-vault
  "vc[piark]_[a-z0-9]{20}", // vercel
  "dapi[a-f0-9]{32}", // databricks
  "dckr_pat_[a-z0-9_-]{27}", // docker
  "figd_[a-z0-9_-]{40}", // figma
  "cf(?:k|ut|at)_[a-z0-9]{40}", // cloudflare
  "tskey-[a-z]{2,20}-", // tailscale
];

const ANCHOR = new RegExp(PRESET_ANCHORS.join("|"), "i");

/** False if the preset is certain to find nothing in the text. */
export function mayHoldSecret(text: string): boolean {
  return ANCHOR.test(text);
}
