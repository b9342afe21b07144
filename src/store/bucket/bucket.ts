/**
 * A bucket of an S3-compatible server: objects put, read, listed and deleted, each answer waited for within a bound, what may pass tried again.
 * A put counts when the server has answered it: that is its word that the object is durable (D1).
 */

import { createHash } from "node:crypto";
import { AwsClient } from "aws4fetch";
import { ensureError, RefloatError } from "../../model/errors.ts";
import type { Clock } from "../../platform/clock.ts";
import { jitterMs } from "../../platform/random.ts";
import type { BucketPlace } from "./bucket-address.ts";

/** A chunk is 1 MiB at most: a line that needs longer for it is no line to save over. */
const ANSWER_MS = 30_000;
const TRIES = 4;
const FIRST_WAIT_MS = 200;
/** A page of a list has a thousand names; an error a few lines. */
const TEXT_BYTES = 4 * 1024 * 1024;

export interface BucketObject {
  readonly key: string;
  readonly modifiedMs: number;
}

export interface Bucket {
  readonly shown: string;
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Null: it is not there. */
  get(key: string): Promise<Uint8Array | null>;
  has(key: string): Promise<boolean>;
  remove(key: string): Promise<void>;
  list(prefix: string): AsyncGenerator<BucketObject>;
}

type Asked = "read" | "write" | "delete" | "list";

/** `answerMs`: how long an answer is waited for. */
export function openBucket(place: BucketPlace, clock: Clock, answerMs = ANSWER_MS): Bucket {
  const { accessKeyId, secretAccessKey, sessionToken, region, shown } = place;
  const client = new AwsClient({
    ...{ accessKeyId, secretAccessKey, region, service: "s3", retries: 0 },
    ...(sessionToken === null ? {} : { sessionToken }),
  });

  async function ask(what: Asked, path: string, init: RequestInit): Promise<Response> {
    for (let tries = 1; ; tries++) {
      const outcome = await once(client, `${place.url}${path}`, init, answerMs);
      if (outcome.kind === "answer" && !mayPass(outcome.response.status)) return outcome.response;
      if (tries === TRIES) throw await failed(outcome, what);
      await clock.sleep(jitterMs(1, FIRST_WAIT_MS * 2 ** tries));
    }
  }

  const failed = async (outcome: Outcome, what: Asked): Promise<RefloatError> => {
    if (outcome.kind === "slow")
      return new RefloatError("E_BUCKET_SLOW", { bucket: shown, ms: answerMs, tries: TRIES });
    if (outcome.kind === "broken")
      return new RefloatError("E_BUCKET_IO", { bucket: shown, why: whyOf(outcome.error) }, outcome.error);
    return refusal(outcome.response, what);
  };

  async function refusal(response: Response, what: Asked): Promise<RefloatError> {
    const text = await textOf(response);
    const code = /<Code>([^<]{1,100})<\/Code>/.exec(text)?.[1] ?? `HTTP ${response.status}`;
    const why = /<Message>([^<]{1,300})<\/Message>/.exec(text)?.[1] ?? code;
    if (code === "NoSuchBucket") return new RefloatError("E_BUCKET_GONE", { bucket: shown, why });
    if (response.status === 401 || response.status === 403)
      return new RefloatError("E_BUCKET_FORBIDDEN", { bucket: shown, what, why: `${code}: ${why}` });
    return new RefloatError("E_BUCKET_IO", { bucket: shown, why: `${code}: ${why}` });
  }

  const inside = place.prefix === "" ? "" : `${place.prefix}/`;
  const pathOf = (key: string): string => `/${inside}${key}`;

  return {
    shown,
    put: async (key, bytes) => {
      // Signed with its hash: a body that came to harm on its way is refused by the server.
      const headers = { "x-amz-content-sha256": createHash("sha256").update(bytes).digest("hex") };
      const response = await ask("write", pathOf(key), { method: "PUT", headers, body: Buffer.from(bytes) });
      if (!response.ok) throw await refusal(response, "write");
      await response.body?.cancel();
    },
    get: async (key) => {
      const response = await ask("read", pathOf(key), { method: "GET" });
      if (response.ok) return new Uint8Array(await response.arrayBuffer());
      const error = await refusal(response, "read");
      if (response.status === 404 && error.code !== "E_BUCKET_GONE") return null;
      throw error;
    },
    has: async (key) => {
      const response = await ask("read", pathOf(key), { method: "HEAD" });
      // Without a body nobody says whether the whole bucket is gone: whoever puts it again is told.
      if (response.status === 404) return false;
      if (!response.ok) throw await refusal(response, "read");
      return true;
    },
    remove: async (key) => {
      const response = await ask("delete", pathOf(key), { method: "DELETE" });
      if (!response.ok && response.status !== 404) throw await refusal(response, "delete");
      await response.body?.cancel();
    },
    async *list(prefix) {
      let token: string | null = null;
      do {
        const next: string = token === null ? "" : `&continuation-token=${encodeURIComponent(token)}`;
        const query = `/?list-type=2&prefix=${encodeURIComponent(inside + prefix)}${next}`;
        const response = await ask("list", query, { method: "GET" });
        if (!response.ok) throw await refusal(response, "list");
        const page = await textOf(response);
        for (const [, entry = ""] of page.matchAll(/<Contents>(.*?)<\/Contents>/gs))
          yield objectIn(entry, inside);
        token = decoded(/<NextContinuationToken>([^<]*)</.exec(page)?.[1] ?? "") || null;
      } while (token !== null);
    },
  };
}

type Outcome =
  | { readonly kind: "answer"; readonly response: Response }
  | { readonly kind: "slow" }
  | { readonly kind: "broken"; readonly error: Error };

async function once(client: AwsClient, url: string, init: RequestInit, answerMs: number): Promise<Outcome> {
  try {
    const request = await client.sign(url, init);
    const answer = await fetch(request, { signal: AbortSignal.timeout(answerMs) });
    // Read here: a body that is cut off on its way is a broken answer like any other, and tried again. Of a put or a deletion it is empty.
    const body = await answer.arrayBuffer();
    const { status, headers } = answer;
    return {
      kind: "answer",
      response: new Response(body.byteLength === 0 ? null : body, { status, headers }),
    };
  } catch (thrown) {
    const error = ensureError(thrown);
    return error.name === "TimeoutError" ? { kind: "slow" } : { kind: "broken", error };
  }
}

/** Its own trouble, or that we ask too fast. */
const mayPass = (status: number): boolean => status >= 500 || status === 429 || status === 408;

const whyOf = (error: Error): string => (error.cause instanceof Error ? error.cause.message : error.message);

async function textOf(response: Response): Promise<string> {
  return Buffer.from(await response.arrayBuffer())
    .subarray(0, TEXT_BYTES)
    .toString("utf8");
}

function objectIn(entry: string, inside: string): BucketObject {
  const key = decoded(/<Key>([^<]*)<\/Key>/.exec(entry)?.[1] ?? "");
  const modifiedMs = Date.parse(/<LastModified>([^<]*)<\/LastModified>/.exec(entry)?.[1] ?? "");
  return { key: key.startsWith(inside) ? key.slice(inside.length) : key, modifiedMs };
}

const decoded = (text: string): string =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
