/**
 * A server that speaks S3 as far as a bucket of contents needs it: path-style PUT, GET, DELETE and ListObjectsV2, errors as S3's XML. Nothing of the
 * client's is trusted: the signature (AWS Signature Version 4) is worked out here from the request as it came over the wire, the body's hash is compared,
 * a clock that is more than 15 minutes off is refused. Objects are whole when they are answered. It can be made slow, sick, strict or gone.
 */
import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const KEY = "AKIAREFLOATTEST";
const SECRET = "a secret of the tests/only+";
const REGION = "eu-test-1";
const PAGE = 3;

export interface S3Server {
  readonly env: Readonly<Record<string, string>>;
  readonly objects: Map<string, { bytes: Buffer; modifiedMs: number }>;
  readonly asked: string[];
  /** Answers all of these with what it gives back; null: as ever. */
  trouble:
    | ((method: string, path: string) => { status: number; code: string } | "never" | "cut off" | null)
    | null;
  hasBucket: boolean;
  stop(): Promise<void>;
}

const sha256 = (bytes: Buffer | string): string => createHash("sha256").update(bytes).digest("hex");
const hmac = (key: Buffer | string, text: string): Buffer => createHmac("sha256", key).update(text).digest();

export async function startS3(bucket: string): Promise<S3Server> {
  const server: S3Server = {
    env: {},
    objects: new Map(),
    asked: [],
    trouble: null,
    hasBucket: true,
    stop: () =>
      new Promise((resolve) => {
        http.closeAllConnections();
        http.close(() => resolve());
      }),
  };
  const http = createServer((request, response) => void answer(server, bucket, request, response));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  return Object.assign(server, {
    env: {
      ...{ AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`, AWS_REGION: REGION },
      ...{ AWS_ACCESS_KEY_ID: KEY, AWS_SECRET_ACCESS_KEY: SECRET },
    },
  });
}

async function answer(
  server: S3Server,
  bucket: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const body = Buffer.concat(pieces);
  const method = request.method ?? "";
  const url = new URL(request.url ?? "", "http://x");
  server.asked.push(`${method} ${url.pathname}`);
  const refuse = (status: number, code: string, message = code): void => {
    response.writeHead(status, { "content-type": "application/xml" });
    response.end(`<?xml version="1.0"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`);
  };
  const trouble = server.trouble?.(method, url.pathname) ?? null;
  if (trouble === "never") return;
  if (trouble === "cut off") {
    response.writeHead(200, { "content-length": "100" }).write("x".repeat(10), () => response.destroy());
    return;
  }
  if (trouble) return refuse(trouble.status, trouble.code);
  const wrong = wrongSignature(request, url, body);
  if (wrong)
    return refuse(
      403,
      wrong,
      "The request signature we calculated does not match the signature you provided.",
    );
  const [, named = "", ...rest] = url.pathname.split("/");
  if (named !== bucket || !server.hasBucket)
    return refuse(404, "NoSuchBucket", "The specified bucket does not exist");
  const key = decodeURIComponent(rest.join("/"));
  if (method === "GET" && key === "") return list(server, url, response);
  const found = server.objects.get(key);
  if (method === "PUT") {
    server.objects.set(key, { bytes: body, modifiedMs: Date.now() });
    response.writeHead(200, { etag: '"x"' }).end();
  } else if (method === "DELETE") {
    server.objects.delete(key);
    response.writeHead(204).end();
  } else if (!found) refuse(404, "NoSuchKey", "The specified key does not exist.");
  else response.writeHead(200).end(found.bytes);
}

function list({ objects }: S3Server, url: URL, response: ServerResponse): void {
  const prefix = url.searchParams.get("prefix") ?? "";
  const after = url.searchParams.get("continuation-token") ?? "";
  const all = [...objects]
    .filter(([key]) => key.startsWith(prefix) && key > after)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const page = all.slice(0, PAGE);
  const more = all.length > PAGE ? `<NextContinuationToken>${page.at(-1)?.[0]}</NextContinuationToken>` : "";
  const entries = page.map(
    ([key, { modifiedMs }]) =>
      `<Contents><Key>${key}</Key><LastModified>${Number.isNaN(modifiedMs) ? "unknown" : new Date(modifiedMs).toISOString()}</LastModified></Contents>`,
  );
  response.writeHead(200, { "content-type": "application/xml" });
  response.end(`<?xml version="1.0"?><ListBucketResult>${entries.join("")}${more}</ListBucketResult>`);
}

/** Null: it is right. By the published steps: canonical request, string to sign, signing key. */
function wrongSignature(request: IncomingMessage, url: URL, body: Buffer): string | null {
  const said =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? "",
    );
  if (!said) return "AccessDenied";
  const [, key, day = "", region, names = "", signature] = said;
  if (key !== KEY) return "InvalidAccessKeyId";
  if (region !== REGION) return "AuthorizationHeaderMalformed";
  const at = String(request.headers["x-amz-date"]);
  const time = Date.parse(at.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  if (!(Math.abs(Date.now() - time) < 15 * 60_000) || !at.startsWith(day)) return "RequestTimeTooSkewed";
  const hash = String(request.headers["x-amz-content-sha256"]);
  if (hash !== "UNSIGNED-PAYLOAD" && hash !== sha256(body)) return "XAmzContentSHA256Mismatch";
  if (!names.split(";").includes("host") || !names.split(";").includes("x-amz-date")) return "AccessDenied";
  const headers = names
    .split(";")
    .map((name) => `${name}:${String(request.headers[name]).trim().replace(/ +/g, " ")}\n`);
  const strict = (text: string): string =>
    encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
  const query = [...url.searchParams]
    .map(([name, value]) => `${strict(name)}=${strict(value)}`)
    .sort()
    .join("&");
  const path = url.pathname
    .split("/")
    .map((one) => strict(decodeURIComponent(one)))
    .join("/");
  const canonical = [request.method, path, query, headers.join(""), names, hash].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", at, scope, sha256(canonical)].join("\n");
  const signing = ["aws4_request"].reduce(
    hmac as (key: Buffer, part: string) => Buffer,
    hmac(hmac(hmac(`AWS4${SECRET}`, day), REGION), "s3"),
  );
  return hmac(signing, text).toString("hex") === signature ? null : "SignatureDoesNotMatch";
}
