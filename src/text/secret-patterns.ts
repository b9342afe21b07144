/**
 * Secrets that are known by their own shape or by what stands around them: what secretlint's rules miss, cut
 * short or hold for a placeholder. Lengths are lower bounds on purpose: output that was cut off holds the
 * beginning of a token, and new tokens grow longer.
 *
 * Every pattern is linear: what may fail after a long run begins once per run (a look-behind) or is bounded.
 */
import { longRuns } from "./long-runs.ts";
import type { SecretFinding, SecretRule } from "./redaction-marker.ts";
import { isMixed, isPlaceholder, readsAsCode } from "./secret-literal.ts";

interface SecretPattern {
  readonly rule: SecretRule;
  /** With a group, the group is the secret; else all of the match. */
  readonly pattern: RegExp;
  readonly accept?: (secret: string) => boolean;
  /** What of it lies in one long run (long-runs.ts); left out: all of it. */
  readonly inRun?: RegExp;
}

const hasDigit = (secret: string): boolean => /\d/.test(secret);
const isLiteral = (secret: string): boolean => !isPlaceholder(secret);
const isMixedLiteral = (secret: string): boolean => !isPlaceholder(secret) && isMixed(secret);
const isUserAndPassword = (secret: string): boolean =>
  /^[\x20-\x7e]+:[\x20-\x7e]*$/.test(Buffer.from(secret, "base64").toString("latin1"));
/** The first word of a header's value: a digit or a great length tells a credential from a word or from code. */
const isCredential = (secret: string): boolean => {
  const first = /^[^\s,;]*/.exec(secret)?.[0] ?? "";
  return isLiteral(first) && !readsAsCode(first) && (/\d/.test(first) || first.length >= 20);
};

const TOKENS: readonly SecretPattern[] = [
  {
    rule: "aws",
    pattern:
      /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|A3T[A-Z0-9])[A-Z0-9]{16}(?![A-Za-z0-9])/dg,
  },
  // The secret beside its id, as in a table or a CSV file.
  {
    rule: "aws",
    inRun: /(?:AKIA|ASIA)[A-Z0-9]{16}/,
    pattern:
      /(?:AKIA|ASIA)[A-Z0-9]{16}["']?[ \t]{0,8}[,;:|/\t ][ \t]{0,8}["']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/dg,
  },
  { rule: "anthropic", pattern: /sk-ant-[A-Za-z0-9_-]{16,}/dg },
  {
    rule: "openai",
    pattern: /(?<![A-Za-z0-9_-])sk-(?:proj|svcacct|admin|None|or-v1)-[A-Za-z0-9_-]{16,}/dg,
    accept: hasDigit,
  },
  { rule: "openai", pattern: /(?<![A-Za-z0-9_-])sk-[A-Za-z0-9]{20,}/dg, accept: hasDigit },
  { rule: "github", pattern: /gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}/dg },
  {
    rule: "gitlab",
    pattern:
      /(?<![A-Za-z0-9])gl(?:pat|ptt|dt|rt|cbt|ft|soat|agent|imt|oas|ffct)-[A-Za-z0-9_-]{16,}(?:\.[0-9a-z]{2}\.[0-9a-z]{7,9})?/dg,
    accept: hasDigit,
  },
  {
    rule: "slack",
    pattern: /xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,}/dg,
    accept: hasDigit,
  },
  { rule: "slack", pattern: /hooks\.slack\.com\/(?:services|workflows|triggers)\/([A-Za-z0-9/_-]{10,})/dg },
  { rule: "stripe", pattern: /(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/]{20,}=*/dg },
  {
    rule: "google",
    pattern:
      /AIza[A-Za-z0-9_-]{30,}|GOCSPX-[A-Za-z0-9_-]{20,}|(?<![A-Za-z0-9])(?:ya29\.|1\/\/0)[A-Za-z0-9_-]{20,}/dg,
  },
  { rule: "npm", pattern: /(?<![A-Za-z0-9_])npm_[A-Za-z0-9]{30,}/dg },
  { rule: "pypi", pattern: /pypi-AgE[A-Za-z0-9_-]{30,}/dg },
  { rule: "huggingface", pattern: /(?<![A-Za-z0-9_])hf_[A-Za-z0-9]{30,}/dg },
  { rule: "hashicorp-vault", pattern: /(?<![A-Za-z0-9])hv[sbr]\.[A-Za-z0-9_-]{20,}/dg },
  { rule: "digitalocean", pattern: /do[opr]_v1_[a-f0-9]{40,}/dg },
  { rule: "sendgrid", pattern: /(?<![A-Za-z0-9])SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/dg },
  { rule: "telegram", pattern: /(?<!\d)\d{8,10}:AA[A-Za-z0-9_-]{30,}/dg },
  // The id of the bot in base64, the time, the signature.
  {
    rule: "discord",
    pattern:
      /(?<![A-Za-z0-9_.-])[MNO][A-Za-z0-9_-]{22,28}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27,}(?![A-Za-z0-9_.-])/dg,
    accept: hasDigit,
  },
  { rule: "discord", pattern: /discord(?:app)?\.com\/api\/webhooks\/\d{15,21}\/([A-Za-z0-9_-]{20,})/dg },
  { rule: "twilio", pattern: /(?<![A-Za-z0-9])SK[0-9a-f]{32}(?![A-Za-z0-9])/dg },
  { rule: "private-key", pattern: /AGE-SECRET-KEY-1[A-Z0-9]{20,}/dg },
  {
    rule: "token",
    pattern:
      /(?<![A-Za-z0-9_-])(?:xai-[A-Za-z0-9]{40,}|r8_[A-Za-z0-9]{30,}|sbp_[a-f0-9]{40}|dp\.(?:pt|st|ct|sa)\.[A-Za-z0-9]{30,}|ATATT3[A-Za-z0-9_=-]{30,}|PMAK-[a-f0-9]{24}-[a-f0-9]{34})/dg,
  },
  {
    rule: "token",
    pattern:
      /(?<![A-Za-z0-9_-])(?:nfp_[A-Za-z0-9]{30,}|vc[pkiar]_[A-Za-z0-9]{24,}|sntry[su]_[A-Za-z0-9+/=_-]{30,}|rubygems_[a-f0-9]{40,}|NRAK-[A-Z0-9]{20,}|pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{20,}|sq0(?:atp|csp)-[A-Za-z0-9_-]{20,}|HRKU-[A-Za-z0-9_-]{30,}|pplx-[A-Za-z0-9]{30,}|ntn_[A-Za-z0-9]{30,}|cio[A-Za-z0-9]{32}(?![A-Za-z0-9])|[0-9a-f]{32}-us\d{1,2}(?![A-Za-z0-9])|key-[0-9a-f]{32}(?![A-Za-z0-9]))/dg,
    accept: hasDigit,
  },
  // Header and payload, with or without the signature: output is cut anywhere.
  {
    rule: "jwt",
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,3}/dg,
  },
];

const IN_CONTEXT: readonly SecretPattern[] = [
  {
    rule: "url-password",
    pattern: /:\/\/[^\s/:@"'`<>\\]{0,128}:([^\s/"'`<>\\]{1,512})@(?=[A-Za-z0-9[._-])/dg,
    accept: (secret) => isLiteral(secret) && secret !== "x-oauth-basic",
  },
  { rule: "url-token", pattern: /:\/\/([A-Za-z0-9_.~%-]{16,256})(?::x-oauth-basic|:)?@/dg, accept: hasDigit },
  {
    rule: "url-token",
    pattern: /[?&](?:sig|X-Amz-Signature|X-Amz-Credential|X-Goog-Signature)=([A-Za-z0-9%+/=_-]{16,})/dgi,
  },
  {
    rule: "authorization",
    pattern:
      /(?<![A-Za-z0-9_])(?:proxy-)?authorization\\{0,7}["']?[ \t]{0,8}(?:=>|[:=])[ \t]{0,8}\\{0,7}["'`]?(?:[A-Za-z][A-Za-z0-9-]{1,20}[ \t]{1,8})?([^\s"'`\\][^\r\n"'`\\]{5,})/dgi,
    accept: isCredential,
  },
  {
    rule: "authorization",
    pattern: /(?<![A-Za-z0-9_])Bearer[ \t]{1,8}([A-Za-z0-9._~+/-]{16,}=*)/dgi,
    accept: isCredential,
  },
  {
    rule: "authorization",
    pattern: /(?<![A-Za-z0-9_])Basic[ \t]{1,8}([A-Za-z0-9+/]{8,}={0,2})/dgi,
    accept: isUserAndPassword,
  },
  {
    rule: "cookie",
    pattern:
      /(?<![A-Za-z0-9_])(?:set-)?cookie\\{0,7}["']?[ \t]{0,8}[:=][ \t]{0,8}\\{0,7}["'`]?([^\s"'`\\=]{1,256}=[^\r\n"'`\\]{2,})/dgi,
    accept: isLiteral,
  },
  {
    rule: "netrc",
    pattern:
      /(?<![A-Za-z0-9_])(?:machine[ \t]+\S{1,253}|default)\s+(?:(?:login|account)\s+\S{1,256}\s+){0,2}password\s+(\S+)/dg,
    accept: isLiteral,
  },
  {
    rule: "password",
    pattern:
      /(?<![A-Za-z0-9])--?(?:[a-z]+-){0,3}(?:password|passwd|passphrase|token|secret|api-?key|access-key|secret-key)[ \t]+["']?([^\s"'`-][^\s"'`]{3,})/dg,
    accept: isMixedLiteral,
  },
  {
    rule: "password",
    pattern:
      /(?<![A-Za-z0-9_])curl(?=[ \t])[^\r\n]{0,400}?[ \t](?:-[A-Za-z]{0,8}u|-U|--user|--proxy-user)(?:[ \t]{1,8}|=)?["']?[^\s:"']{1,128}:([^\s"']{1,256})/dg,
    accept: isLiteral,
  },
  {
    rule: "password",
    pattern:
      /(?<![A-Za-z0-9_])(?:sshpass[ \t]{1,8}-p[ \t]{0,8}|(?:mysql|mariadb)[a-z-]{0,12}(?=[ \t])[^\r\n]{0,200}?[ \t]-p|(?:(?:docker|podman|nerdctl|buildah|skopeo|helm registry|oc|az)[ \t]{1,8}login|mongosh?|mongodump)(?=[ \t])[^\r\n]{0,200}?[ \t]-p(?:[ \t]{1,8}|=)|redis-cli(?=[ \t])[^\r\n]{0,200}?[ \t]-a[ \t]{1,8}|ldap[a-z]{2,10}(?=[ \t])[^\r\n]{0,200}?[ \t]-w[ \t]{1,8}|(?:zip|unzip)(?=[ \t])[^\r\n]{0,200}?[ \t]-P[ \t]{1,8}|7z[ar]?(?=[ \t])[^\r\n]{0,200}?[ \t]-p|smbclient(?=[ \t])[^\r\n]{0,200}?[ \t]-U[ \t]{0,8}[^\s%"']{1,64}%|-pass(?:in|out)[ \t]{1,8}pass:)["']?([^\s"'-][^\s"']{3,})/dg,
    accept: isLiteral,
  },
  {
    rule: "password",
    pattern: /(?<![A-Za-z0-9_])(?:IDENTIFIED[ \t]+BY|PASSWORD)[ \t]+'([^'\r\n]{1,256})'/dgi,
    accept: isLiteral,
  },
];

/** `runs`: the long runs of the text, a line each: a token that is in none of them is nowhere (runs 1). */
export function findPatterns(text: string, runs: string = longRuns(text).text): SecretFinding[] {
  const found: SecretFinding[] = [];
  const inRuns = TOKENS.filter(({ pattern, inRun = pattern }) => runs.search(inRun) !== -1);
  for (const { rule, pattern, accept } of [...inRuns, ...IN_CONTEXT]) {
    for (const match of text.matchAll(pattern)) {
      const [start, end] = match.indices?.[1] ??
        match.indices?.[0] ?? [match.index, match.index + match[0].length];
      if (accept === undefined || accept(text.slice(start, end))) found.push({ rule, start, end });
    }
  }
  return found;
}
