import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { fileMayHoldSecret, mayHoldSecret, redact, withoutOwnTokens } from "./redact.ts";

/**
 * Fake secrets in real shapes, put together here so that no scanner takes this file for a leak. `body` gives
 * letters and digits that look random and are the same every time.
 */
const ALPHABET = "aT7kQ2mZ9xWc4VbN1rLs8YdH5gJf3PuEo6XiGqRwKtMyBzDvChSnFjAlUp0IeO";
const body = (length: number, seed = 1): string => {
  let state = seed;
  let text = "";
  while (text.length < length) {
    state = (state * 48_271) % 2_147_483_647;
    text += ALPHABET[state % ALPHABET.length];
  }
  return text;
};
const hex = (length: number, seed = 1): string =>
  Buffer.from(body(length, seed)).toString("hex").slice(0, length);
const base64 = (length: number, seed = 1): string => Buffer.from(body(length, seed)).toString("base64");
const upper = (length: number): string =>
  body(length * 3)
    .toUpperCase()
    .replace(/[^A-Z2-7]/g, "")
    .slice(0, length);
const lines = (text: string): string => text.replace(/.{64}/g, "$&\n");
const pem = (kind: string, length = 1600): string =>
  `-----BEGIN ${kind}PRIVATE KEY-----\nMIIE${lines(base64(length))}\n-----END ${kind}PRIVATE KEY-----`;

const jwt = `eyJ${body(33)}.eyJ${body(80)}.${body(43)}`;

/** [what, the rule that names it, the secret, the text around it with ◆ for the secret] */
const SECRETS: readonly (readonly [string, string, string, string])[] = [
  ["an AWS key id", "aws", `AKIA${upper(16)}`, "id ◆ used"],
  ["a temporary AWS key id", "aws", `ASIA${upper(16)}`, '"◆"'],
  ["an AWS secret in an ini file", "password|token|aws", base64(30), "aws_secret_access_key = ◆"],
  ["an AWS secret in JSON", "password|token|aws", base64(30), '{"SecretAccessKey": "◆"}'],
  ["an AWS secret in a shell", "password|token|aws", base64(30), "export AWS_SECRET_ACCESS_KEY=◆"],
  ["an AWS session token", "token", base64(200), "aws_session_token=◆"],
  ["a GitHub token", "github", `ghp_${body(36)}`, "remote: ◆"],
  ["a GitHub server token", "github", `ghs_${body(36)}`, "using ◆."],
  ["a GitHub token that was cut off", "github", `ghp_${body(25)}`, "◆"],
  ["a fine-grained GitHub token", "github", `github_pat_${body(22)}_${body(59)}`, "◆"],
  ["a GitLab token", "gitlab", `glpat-${body(20)}`, "◆ in a sentence"],
  ["a routable GitLab token", "gitlab", `glpat-${body(27)}.01.0z1abcdef`, "◆"],
  ["a Slack bot token", "slack", `xoxb-${"1".repeat(12)}-${"2".repeat(12)}-${body(24)}`, "◆"],
  ["a Slack refresh token", "slack", `xoxe.xoxp-1-${body(80)}`, "◆"],
  [
    "a Slack webhook",
    "slack",
    `https://hooks.slack.com/services/T${upper(8)}/B${upper(8)}/${body(24)}`,
    "POST ◆",
  ],
  ["a Stripe key", "stripe", `sk_live_${body(24)}`, "◆"],
  ["an OpenAI key", "openai", `sk-${body(48)}`, "key ◆."],
  ["an OpenAI project key", "openai", `sk-proj-${body(60)}_${body(60)}-${body(20)}`, "◆"],
  ["an Anthropic key", "anthropic", `sk-ant-api03-${body(93)}AA`, "◆"],
  ["an Anthropic key that was cut off", "anthropic", `sk-ant-api03-${body(20)}`, "◆"],
  ["a Google key", "google", `AIza${body(35)}`, "https://maps/api?key=◆&x=1"],
  ["a Google access token", "google", `ya29.${body(100)}`, "◆"],
  ["an npm token", "npm", `npm_${body(36)}`, "◆"],
  ["an npm token in .npmrc", "npm|token", body(36), "//registry.npm.example/:_authToken=◆"],
  ["a Hugging Face token", "huggingface", `hf_${body(34)}`, "◆"],
  ["a PyPI token", "pypi", `pypi-AgE${body(100)}`, "◆"],
  ["a Vault token", "hashicorp-vault", `hvs.${body(95)}`, "◆"],
  ["a SendGrid key", "sendgrid", `SG.${body(22)}.${body(43)}`, "◆"],
  ["a Telegram bot token", "telegram", `123456789:AA${body(33)}`, "◆"],
  ["a Discord bot token", "discord", `MTE${body(23)}.Gx${body(4)}.${body(38)}`, "client.login(◆)"],
  ["a Discord webhook", "discord", body(68), "https://discord.com/api/webhooks/123456789012345678/◆"],
  ["a Twilio key", "twilio", `SK${hex(32)}`, "◆"],
  ["a Mailgun key", "token", `key-${hex(32)}`, "◆"],
  ["a Netlify token", "token", `nfp_${body(36)}`, "using ◆ now"],
  ["a Sentry token", "token", `sntrys_${body(60)}`, "◆"],
  ["an Azure signature", "url-token", `${body(43)}%3D`, "https://a.blob.example/c?sv=2024&sig=◆"],
  ["a JSON web token", "jwt", jwt, "token was ◆"],
  ["a JSON web token without its signature", "jwt", `eyJ${body(33)}.eyJ${body(60)}`, "◆"],
  ["a private key", "private-key", pem("RSA "), "before\n◆\nafter"],
  ["a PKCS 8 key", "private-key", pem(""), "◆"],
  [
    "an encrypted key with header lines",
    "private-key",
    `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,${hex(32)}\n\n${lines(base64(800))}\n-----END RSA PRIVATE KEY-----`,
    "◆",
  ],
  [
    "an OpenSSH key",
    "private-key",
    `-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA${lines(base64(300))}\n-----END OPENSSH PRIVATE KEY-----`,
    "$ cat id\n◆\n$",
  ],
  [
    "a PGP key",
    "private-key",
    `-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n${lines(base64(2000))}\n=${body(4)}\n-----END PGP PRIVATE KEY BLOCK-----`,
    "◆",
  ],
  [
    "a key without its END line",
    "private-key",
    `-----BEGIN RSA PRIVATE KEY-----\nMIIE${lines(base64(900))}`.trimEnd(),
    "◆",
  ],
  [
    "a key that was cut off and goes on in prose",
    "private-key",
    `-----BEGIN RSA PRIVATE KEY-----\nMIIE${base64(45)}\n${base64(48)}`,
    "◆\nThe rest was not shown.",
  ],
  [
    "a key without its BEGIN line",
    "private-key",
    `${lines(base64(900))}\n-----END RSA PRIVATE KEY-----`,
    "◆",
  ],
  [
    "a key in a JSON string",
    "private-key",
    `${pem("")}\n`.replaceAll("\n", "\\n"),
    '{"private_key": "◆", "x": 1}',
  ],
  ["a key in a diff", "private-key", pem("EC ", 200).replaceAll("\n", "\n+"), "+◆"],
  ["a key with numbered lines", "private-key", pem("EC ", 200).replaceAll("\n", "\n   12\t"), "   11\t◆"],
  ["basic auth in a URL", "url-password", "s3cr3t-pw", "git clone https://alice:◆@git.example/r.git"],
  ["a plain word as the password in a URL", "url-password", "hunter", "ftp://u:◆@files.example/"],
  ["a Postgres password", "url-password", "p4ss%21w", "DATABASE_URL=postgres://user:◆@db.internal:5432/app"],
  ["a Postgres password on localhost", "url-password", "pw@1", "postgresql://root:◆@localhost/x"],
  ["a Redis password without a user", "url-password", "r3dispw", "redis://:◆@cache:6379/0"],
  ["a MongoDB password", "url-password", "m0ng0", "mongodb+srv://u:◆@c.example/?retry=1"],
  ["a token as the user of a URL", "url-token", body(40), "https://◆@github.example/o/r"],
  ["a token before x-oauth-basic", "url-token", body(40), "https://◆:x-oauth-basic@github.com/o/r"],
  ["a bearer header", "authorization", body(40), "Authorization: Bearer ◆"],
  ["a bearer header in curl", "authorization", body(30), `curl -H "Authorization: Bearer ◆" https://x`],
  ["a bearer header in JSON in JSON", "authorization", body(30), '{\\"authorization\\": \\"Bearer ◆\\"}'],
  ["a basic header", "authorization", base64(12), "authorization: Basic ◆"],
  [
    "a basic credential elsewhere",
    "authorization",
    Buffer.from("alice:hunter2").toString("base64"),
    "sent Basic ◆ to the proxy",
  ],
  ["a token header", "authorization|github", `ghp_${body(36)}`, "Authorization: token ◆"],
  ["a cookie header", "cookie", `sid=${body(20)}; theme=dark`, "Cookie: ◆"],
  [
    "a set-cookie header",
    "cookie",
    `session=${body(20)}; Path=/; HttpOnly`,
    "< Set-Cookie: ◆\n< Date: today",
  ],
  ["a password in an env file", "password", "hunter2", "DB_USER=a\nDB_PASSWORD=◆\nDB_HOST=b"],
  ["a password of letters in an env file", "password", "hunter", "DB_PASSWORD=◆"],
  ["a password with symbols in an env file", "password", "p&ss;w(0)rd", "export PGPASSWORD=◆\n"],
  ["a password on a command line", "password", "hunter", "docker run -e MYSQL_ROOT_PASSWORD=◆ -d mysql"],
  ["a password in YAML", "password", "hunter", "db:\n  user: a\n  password: ◆\n"],
  ["a quoted password in YAML", "password", "correct horse battery", "  password: '◆'  # mine"],
  ["a block in YAML", "password", "line one\n    line two", "  password: |\n    ◆\nnext: 1"],
  ["a password in JSON", "password", "hunter2", '{"user": "a", "password": "◆"}'],
  ["a password in JSON in JSON", "password", "hunter2", '"{\\"password\\": \\"◆\\", \\"a\\": 1}"'],
  ["a password in TOML", "password", "hunter2", 'password = "◆"'],
  ["a password in code", "password", "hunter2", 'const dbPassword: string = "◆";'],
  ["a password in PHP", "password", "hunter2", "$password = '◆';"],
  ["a password in a comparison", "password", "hunter2", 'if (password === "◆") {'],
  ["a password in a connection string", "password", "hunter2", "Server=x;User Id=sa;Password=◆;Encrypt=true"],
  ["a password in a numbered line", "password", "hunter", "   12\tDB_PASSWORD=◆"],
  ["a password behind a colour", "password", "hunter2", "\x1b[34mpassword\x1b[0m=◆"],
  ["a token in capitals", "token", body(12), "TOKEN: ◆"],
  ["a token in an environment", "token", body(16), "os.environ['SERVICE_TOKEN'] = '◆'"],
  ["a token in a query", "token", body(16), "GET /v1/me?access_token=◆&x=1"],
  ["an API key in prose", "token", body(20), "The API key: ◆"],
  ["an API key with quotes that were cut off", "token", body(20), 'api_key = "◆'],
  ["an Azure storage key", "token", base64(48), "AccountName=a;AccountKey=◆;EndpointSuffix=x"],
  ["a kubeconfig's key", "token", base64(300), "    client-key-data: ◆"],
  ["a client secret", "password", body(20), "clientSecret: '◆',"],
  ["a flag", "password", "hunter2", "tool login --user a --password ◆ --now"],
  ["curl's user", "password", "hunter2", "curl -s -u alice:◆ https://x"],
  ["curl's user as its first word", "password", "hunter2", "curl -u alice:◆ https://x"],
  ["curl's user among other letters", "password", "hunter2", "curl -sSu alice:◆ https://x"],
  ["curl's user in one word", "password", "hunter2", "curl --user=alice:◆ https://x"],
  ["curl's user in quotes", "password", "hunter2", "$ curl --user 'alice:◆' https://x"],
  ["a proxy's user", "password", "hunter2", "curl -x http://p --proxy-user a:◆ https://x"],
  ["wget's password", "password", "hunter2", "wget --user a --password ◆ https://x"],
  ["wget's password with a sign", "password", "hunter2", "wget --http-password=◆ https://x"],
  ["mysql's password alone", "password", "hunter2", "mysql -p◆"],
  ["mysql's password", "password", "hunter2", "mysqldump -u root -p◆ app"],
  ["mariadb's password", "password", "hunter2", "mariadb -uroot -p'◆' app"],
  ["a registry's password", "password", "hunter2", "docker login -u a -p ◆ reg.example"],
  ["a registry's password as its first word", "password", "hunter2", "docker login -p ◆"],
  ["redis-cli", "password", "hunter2", "redis-cli -h x -a ◆ ping"],
  ["openssl", "password", "hunter2", "openssl rsa -in k.pem -passin pass:◆ -out x"],
  ["smbclient", "password", "hunter2", "smbclient //h/s -U alice%◆"],
  ["psql's address", "url-password", "hunter2", "psql postgres://user:◆@db/x"],
  ["a token behind its name", "token", body(24), "vercel_token ◆"],
  ["a token behind its name in capitals", "token", body(24), "set VERCEL_TOKEN ◆ --prod"],
  [
    "a token behind its name that happens to have no digit",
    "token",
    "afmvuWHDdVZIZnaWqJRQaRtd",
    "vercel_token ◆",
  ],
  ["a token behind a word", "token", body(32), "The token ◆ was rejected"],
  ["a key of hex behind its name", "token", hex(40), "api-key ◆"],
  ["a header without its colon", "token|authorization", body(30), "Authorization ◆"],
  ["a header of another name", "token", body(24), "X-Api-Key: ◆"],
  ["a row of a table", "token", body(24), "| NPM_TOKEN | ◆ |"],
  ["sshpass", "password", "hunter2", "sshpass -p ◆ ssh host"],
  ["SQL", "password", "hunter2", "CREATE USER a IDENTIFIED BY '◆';"],
  ["a .netrc on one line", "netrc", "hunter2", "machine api.example login alice password ◆"],
  [
    "a .netrc on several lines",
    "netrc",
    "hunter",
    "machine api.example\n  login alice\n  password ◆\nmachine b",
  ],
  ["a random value under any name", "entropy", body(32), 'SIGNING = "◆"'],
  ["a random value in an env file", "entropy", base64(30), "SENTRY_UPLOAD=◆\n"],
  ["a random value in YAML", "entropy", body(40), "  salt: ◆\n"],
];

/** Bytes as random as a key's, the same every time. */
const keyLine = (chars: number, seed: number): string =>
  createHash("sha512").update(`key ${seed}`).digest("base64").slice(0, chars);
const LINES: readonly (readonly [string, string, string])[] = [
  ["alone", keyLine(64, 1), "◆"],
  ["among others", keyLine(64, 2), "$ sed -n 7p key.pem\n◆\n$ "],
  ["in a diff", keyLine(64, 3), "@@ -1 +1 @@\n+◆\n"],
  ["numbered", keyLine(64, 4), "    14\t◆\n"],
  ["quoted", keyLine(64, 5), 'lines = [\n  "◆",\n]'],
  ["in a sentence", keyLine(64, 6), "its third line is ◆ as you see"],
  ["of an OpenSSH key", keyLine(70, 7), "> ◆"],
  ["in a JSON string", keyLine(64, 8), '{"out":"x\\n◆\\ny"}'],
];

describe("redact", () => {
  it.each(LINES)(
    "takes out one line from the middle of a private key, %s (T4)",
    async (_how, line, around) => {
      const { text } = await redact(around.replace("◆", () => line));
      expect(text).toBe(around.replace("◆", "[redacted: private-key]"));
      expect((await redact(text)).text).toBe(text);
    },
  );

  it.each(SECRETS)("takes out %s and nothing around it (T4)", async (_what, rules, secret, around) => {
    const { text, found } = await redact(around.replace("◆", () => secret));
    expect(text).not.toContain(secret);
    const [before = "", after = ""] = around.split("◆");
    const marker = text.slice(before.length, text.length - after.length);
    expect(marker).toMatch(new RegExp(`^\\[redacted: (?:${rules})\\]$`));
    expect(text).toBe(before + marker + after);
    expect(found.map(({ start, end }) => [start, end])).toEqual([
      [before.length, before.length + secret.length],
    ]);
  });

  it.each(SECRETS)("finds nothing more in what it left of %s", async (_what, _rules, secret, around) => {
    const { text } = await redact(around.replace("◆", () => secret));
    expect((await redact(text)).text).toBe(text);
    expect(await mayHoldSecret(text)).toBe(false);
    expect(await mayHoldSecret(around.replace("◆", () => secret))).toBe(true);
  });

  it("takes out an AWS secret that stands beside its id without a name, and the id", async () => {
    const id = `AKIA${upper(16)}`;
    for (const between of [",", '","', " | ", ":"]) {
      expect((await redact(`x ${id}${between}${base64(30)}`)).text).toBe(
        `x [redacted: aws]${between}[redacted: aws]`,
      );
    }
  });
});

const TOKEN = "00000001-7219-821e-84ba-3646f2f071cc";

describe("tokens of ours in the file they belong to", () => {
  it("are no secrets there, nor in a patch that shows the file; every other line stays as it is (T4)", async () => {
    const file = `{\n  "lock": { "attempt_token": "${TOKEN}" },\n  "project": "demo"\n}\n`;
    expect(withoutOwnTokens(file)).toBe('{\n  "lock": { "attempt_token": "" },\n  "project": "demo"\n}\n');
    expect(await fileMayHoldSecret(file)).toBe(false);
    expect(await fileMayHoldSecret(file.replaceAll(/^/gm, "+"))).toBe(false);
  });

  it("are what they look like and nothing else: another value under the name and another name stay secrets", async () => {
    expect(await fileMayHoldSecret(`{ "attempt_token": "ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}" }`)).toBe(
      true,
    );
    expect(await fileMayHoldSecret(`{ "api_token": "${TOKEN}" }`)).toBe(true);
  });
});
