import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { redact } from "./redact.ts";

const hash = (algorithm: string, encoding: "hex" | "base64" = "hex") =>
  createHash(algorithm).update("some content").digest(encoding);
const sha1 = hash("sha1");
const sha256 = hash("sha256");
const sri = `sha512-${hash("sha512", "base64")}`;
const image = `iVBORw0KGgo${Buffer.from(sha256.repeat(20)).toString("base64")}`;
const pemBody = Buffer.from(sha256.repeat(8)).toString("base64").replace(/.{64}/g, "$&\n");

const wrapped = [1, 2, 3]
  .map((n) => createHash("sha512").update(`line ${n}`).digest("base64").slice(0, 64))
  .join("\n");

/** Text that looks like secrets and is none. Redacting it would make handoffs unreadable and verdicts wrong. */
const PUBLIC: readonly (readonly [string, string])[] = [
  ["a git log", `commit ${sha1}\nParent: ${sha1}\n\n    store: keep the key order\n`],
  ["git hashes in assignments", `HEAD=${sha1}\nbase: ${sha1}\n"head": "${sha1}"`],
  ["abbreviated hashes and ranges", "ffac537e6..0f1e2d3c4b5a6 main -> origin/main"],
  ["checksums", `${sha256}  dist/cli.js\nSHA256 (x.tgz) = ${sha256}\nchecksum = "${sha256}"`],
  ["an MD5 in capitals", `md5: ${hash("md5").toUpperCase()}`],
  [
    "a lockfile's integrity",
    `"resolved": "https://registry.example/a/-/a-1.0.0.tgz",\n"integrity": "${sri}"`,
  ],
  ["integrity under another name", `sri = "${sri}"`],
  ["a yarn lockfile", `  checksum: 10c0/${hash("sha512")}\n`],
  ["go.sum", `golang.org/x/mod v0.1.0 h1:${hash("sha256", "base64")}\n`],
  ["an image's digest", `image: app@sha256:${sha256}`],
  ["an SSH fingerprint", `256 SHA256:${hash("sha256", "base64").replace("=", "")} alice@host (ED25519)`],
  ["UUIDs", 'session_id = "0198f4c2-7d0e-7a3b-9c41-5e6f7a8b9c0d"\nkey: 0198f4c2-7d0e-7a3b-9c41-5e6f7a8b9c0d'],
  ["a ULID", 'key = "01ARZ3NDEKTSV4RRFFQ69G5FAV"'],
  ["ids of calls and messages", '{"id":"toolu_01A09q90qw90lq917835lq9","call":"call_Xk29dLmQ0aZt73Rw51Bv"}'],
  ["an id of an answer", "request: req_011CSHoEeqs5C35K2UUqR7Fy\nsource = msg_01XFDUDYJgAACzvnptvVoYEL"],
  ["a data URI", `<img src="data:image/png;base64,${image}">\nurl(data:font/woff2;base64,${image})`],
  ["an image in JSON", `{"type":"base64","media_type":"image/png","data":"${image}"}`],
  ["an image under any name", `logo = "${image}"`],
  ["file paths", "path = /usr/lib/node_modules/npm/bin/npm-cli2.js\nCC=/path/to/x86_64-w64-mingw32-gcc"],
  ["Windows paths", 'dir: "C:\\\\Users\\\\alice\\\\new\\\\token\\\\table"'],
  [
    "long identifiers",
    "x = AbstractSingletonProxyFactoryBean2Impl\nkey: getX509CertificateFromPkcs12StoreV2",
  ],
  [
    "names of environment variables",
    "npm_config_user_agent_of_the_current_process_x\nEXPERIMENTAL=useV2ApiForK8sPods",
  ],
  ["slugs and hosts", "cluster: prod-eu-west-1-db-02-replica-a7.internal\nname = my-app-2024-05-01-rc-2"],
  [
    "counts of tokens",
    '"max_tokens": 4096, "input_tokens": 12345678, token_count=123456789, tokens: 98765432',
  ],
  ["positions in a list", 'nextPageToken: "CAUQAA9xQ2"\npad_token = "<|endoftext|>1"'],
  [
    "types",
    "interface A {\n  password: string;\n  token?: Token;\n  apiKey: string | null;\n}\ndef f(password: str, token: bytes):",
  ],
  [
    "code that passes secrets on",
    "const token = await getToken(user);\nlogin({ password: user.password, token: newToken })\nself.secret = secret",
  ],
  [
    "code that reads the environment",
    'password: process.env.DB_PASSWORD,\ntoken = os.environ["TOKEN"]\nconst k = import.meta.env.API_KEY;',
  ],
  ["code that compares", 'if (typeof options.password === "function" || token === null) {'],
  ["code that logs", "console.log('password:', password);\nthrow new Error(\"bad token: \" + token);"],
  [
    "templates",
    `password: \${{ secrets.DB_PASSWORD }}\nTOKEN=$TOKEN\napi_key: <your-api-key>\nsecret: {{ .Values.secret }}\nPASSWORD=%PASSWORD%`,
  ],
  [
    "placeholders",
    'password: "********"\napi_key = "your-api-key-here1"\ntoken: xxxxxxxxxxxx\nsecret = "..."\nKEY=sk-...\nAPI_KEY="YOUR_API_KEY"',
  ],
  [
    "headers without credentials",
    `Authorization: Bearer <token>\nAuthorization: \`Bearer \${token}\`\n-H "Authorization: Bearer $TOKEN"`,
  ],
  [
    "prose about secrets",
    "Bearer authentication is required. The token: what it is, see below. Password: must be long.",
  ],
  ["messages about secrets", 'password: "Password is required"\nsecret: "The secret must be a string."'],
  [
    "options",
    "credentials: 'same-origin', // or 'include'\nfetch(url, { credentials: \"include\" })\nsecret: true",
  ],
  ["flags without a value", "use --password option, or --token to give one"],
  [
    "URLs without a password",
    "https://localhost:3000/@vite/client http://host:8080/a@b postgres://user@host/db ssh://git@host/r",
  ],
  [
    "URLs with a variable",
    `https://user:\${PASSWORD}@host/ postgres://u:$PGPASSWORD@db/x mongodb://<user>:<password>@c/`,
  ],
  ["class names", '<div class="sk-loading-indicator-large-circle glrt-something-of-the-theme"></div>'],
  [
    "a public key and a certificate",
    `-----BEGIN PUBLIC KEY-----\n${pemBody}\n-----END PUBLIC KEY-----\n-----BEGIN CERTIFICATE-----\n${pemBody}\n-----END CERTIFICATE-----`,
  ],
  ["an SSH public key", `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${hash("sha256", "base64")} alice@host`],
  [
    "talk of private keys",
    'if (text.includes("-----BEGIN PRIVATE KEY-----")) return parsePrivateKeyFromText(text);',
  ],
  ["the working directory", 'PWD=/home/alice/work\nOLDPWD: /home/alice\ndocker run -v "$PWD:/workspace" x'],
  [
    "keys of tables",
    'primary_key = "user_id"\nforeignKey: "orders.customer_id_2"\nsort_key: created_at_2024',
  ],
  [
    "names of constants",
    'const TOKEN_HEADER = "x-request-token-1";\nexport const ENV_SECRET = "AWS_SECRET_ACCESS_KEY";',
  ],
  ["a signature of a thought", `{"type":"thinking","thinking":"...","signature":"${image.slice(11, 300)}"}`],
  ["compiler output", "src/a.ts:10:5:error:TS2322 Type 'string' is not assignable\n  at foo (/a/b.js:1:2)"],
  [
    "lines of a certificate, whole or cut off at either end",
    `-----BEGIN CERTIFICATE-----\n${wrapped}\n-----END CERTIFICATE-----\n\n${wrapped}\n-----END CERTIFICATE-----\n\n-----BEGIN PUBLIC KEY-----\n${wrapped}`,
  ],
  [
    "a signature of a commit",
    `-----BEGIN PGP SIGNATURE-----\n\n${wrapped}\n=ab1C\n-----END PGP SIGNATURE-----`,
  ],
  ["hashes in hex on lines of their own", `${sha256}\n${hash("sha512").slice(0, 64)}\n`],
  ["an integrity of another length", `"integrity": "sha384-${hash("sha384", "base64")}"`],
  ["base64 as mail wraps it", hash("sha512", "base64").slice(0, 76)],
  ["names as long as a key's line", "aVeryLongCamelCaseNameOfATestThatSaysWhatItDoesAndWhyItIsSoLong01"],
  [
    "talk of tokens",
    "the token refresh_handler_2 fails; secret management2024 is next; token authentication-v2-middleware, token getHTTPHeadersOfTheApiKey\nAuthorization middleware-for-express4\npassword reset/2024-05-01/index.ts",
  ],
  [
    "a session's or a call's id behind a word",
    "token toolu_01A09q90qw90lq917835lq9 0198f4c2-7d0e-7a3b-9c41-5e6f7a8b9c0d",
  ],
  ["a commit behind a word", `secret ${sha1.slice(0, 12)} token v1.22.333-rc.4+build.5678`],
  [
    "options that look like passwords",
    "docker run -p 8080:80 x\nmkdir -p src/components/button2\ncp -p a1b2c3 d4\ncurl -u alice https://x",
  ],
  ["a table of base64 words", "IGNoYXJhY3Rlcg== IHZpc2l0b3Jz IGRhbWFnZWQ= IGNoYXJhY3RlcmlzdGljcw=="],
  ["plain text in many scripts", "Das Passwort. パスワード。 Пароль! 👍 e\u0301"],
];

describe("redact", () => {
  it.each(PUBLIC)("leaves %s as it is", async (_what, text) => {
    expect(await redact(text)).toEqual({ text, found: [] });
  });
});
