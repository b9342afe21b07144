/** The page's server as a function from requests to answers (hono): who may ask (guard.ts), what (the routes), and how much (T5). */
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { sessionsAtOtherEnd } from "../../app/salvage/standing-under.ts";
import { sessionRecords } from "../../app/sessions/session-records.ts";
import { RefloatError } from "../../model/errors.ts";
import {
  HTTP_BODY_BYTES,
  HTTP_CONNECTIONS,
  HTTP_READS_AT_ONCE,
  HTTP_REFUSAL_BURST,
  HTTP_REFUSALS_PER_SECOND,
  HTTP_REQUEST_BURST,
  HTTP_REQUESTS_PER_SECOND,
  HTTP_STREAMS,
  HTTP_WAITING_CALLS,
} from "../../model/limits.ts";
import { ACTING_ROUTES } from "./acting-routes.ts";
import { answerData, errorAnswer } from "./answers.ts";
import { allowance, foreignTo, isToken, TOKEN_HEADER } from "./guard.ts";
import { type ChangeBell, changeStream, recordFeed, recordStream } from "./live.ts";
import { openApi } from "./openapi.ts";
import {
  answerLines,
  type CallSurroundings,
  callFor,
  keptLooks,
  type SendLine,
  typedBy,
  workQueue,
} from "./page-call.ts";
import type { PageFiles } from "./page-files.ts";
import { READING_ROUTES } from "./reading-routes.ts";
import type { Route, RouteAnswer } from "./route.ts";

export interface PageSurroundings extends CallSurroundings {
  readonly files: PageFiles;
  readonly bell: ChangeBell;
  readonly token: string;
  /** Somebody came with the token, for the first time. */
  readonly onFirstAsked: () => void;
  /** The host it was told to listen on. */
  readonly host: string;
}

export const ROUTES: readonly Route[] = [...READING_ROUTES, ...ACTING_ROUTES];

export function pageApp(around: PageSurroundings): Hono {
  const app = new Hono();
  const { nowMs } = around.at.clock;
  const refused = refuser(around, allowance(HTTP_REFUSALS_PER_SECOND, HTTP_REFUSAL_BURST, nowMs));
  app.use("*", onlyOwn(around, refused));
  addFiles(app, around);
  app.use(
    "/api/*",
    onlyWithToken(around, refused, allowance(HTTP_REQUESTS_PER_SECOND, HTTP_REQUEST_BURST, nowMs)),
  );
  app.use("/api/*", bodyLimit({ maxSize: HTTP_BODY_BYTES, onError: (c) => failed(c, around, tooLarge()) }));
  addStreams(app, around);
  addRoutes(app, around);
  app.notFound((c) => failed(c, around, new RefloatError("E_PAGE_UNKNOWN", { what: c.req.path })));
  app.onError((thrown, c) => failed(c, around, thrown));
  return app;
}

type Refuse = (c: Context, why: RefloatError) => Promise<Response>;

/** G4: who is refused is answered a few times a second, and then told that it was too often. */
const refuser =
  (around: PageSurroundings, mayBeRefused: () => boolean): Refuse =>
  (c, why) =>
    failed(c, around, mayBeRefused() ? why : busy());

const HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-frame-options": "DENY",
  "cache-control": "no-store",
};

/** G1, G2. A link on another page may lead to ours: it is the data that stays here (G3). */
const onlyOwn =
  ({ files: { files, policy }, host }: PageSurroundings, refuse: Refuse): MiddlewareHandler =>
  async (c, next) => {
    for (const [name, value] of Object.entries(HEADERS)) c.header(name, value);
    c.header("content-security-policy", policy);
    const [origin, site] = [c.req.header("origin"), c.req.header("sec-fetch-site")];
    const from = { host: c.req.header("host"), origin, site: files.has(c.req.path) ? undefined : site };
    const why = foreignTo(from, host);
    return why ? refuse(c, why) : next();
  };

/** G3. */
function onlyWithToken(
  { token, onFirstAsked }: PageSurroundings,
  refuse: Refuse,
  mayAsk: () => boolean,
): MiddlewareHandler {
  let isFirst = true;
  return async (c, next) => {
    if (!isToken(c.req.header(TOKEN_HEADER), token)) return refuse(c, new RefloatError("E_PAGE_TOKEN"));
    if (isFirst) onFirstAsked();
    isFirst = false;
    if (!mayAsk()) throw busy();
    return next();
  };
}

function addFiles(app: Hono, { files: { files }, version }: PageSurroundings): void {
  for (const [path, { type, text }] of files)
    app.get(path, (c) => c.body(text, 200, { "content-type": type }));
  app.get("/openapi.json", (c) => c.json(openApi(ROUTES, version)));
}

function addStreams(app: Hono, around: PageSurroundings): void {
  const { at, bell } = around;
  const feed = recordFeed();
  let open = 0;
  const streamed = (c: Context, make: (stop: AbortController) => ReadableStream<Uint8Array>): Response => {
    if (open >= HTTP_STREAMS) throw busy();
    open++;
    const stop = new AbortController();
    const end = (): void => stop.abort();
    stop.signal.addEventListener("abort", () => {
      open--;
      around.stop.removeEventListener("abort", end);
    });
    around.stop.addEventListener("abort", end, { once: true });
    c.req.raw.signal.addEventListener("abort", end, { once: true });
    return c.body(make(stop), 200, { "content-type": "text/event-stream", "x-accel-buffering": "no" });
  };
  app.get("/api/changes", (c) =>
    streamed(c, (stop) => changeStream(bell, c.req.header("last-event-id") ?? null, stop)),
  );
  app.get("/api/sessions/:session/follow", async (c) => {
    const after = Number(c.req.header("last-event-id") ?? c.req.query("after") ?? 0);
    if (!Number.isSafeInteger(after) || after < 0) throw usage("after is no sequence number");
    const records = await sessionRecords(at, c.req.param("session"), around.shown);
    return streamed(c, (stop) => recordStream({ bell, feed }, records, after, stop));
  });
}

function addRoutes(app: Hono, around: PageSurroundings): void {
  // Judging, planning and acting on one machine's trees: one after the other.
  const works = workQueue({ atOnce: 1, most: HTTP_WAITING_CALLS });
  const reads = workQueue({ atOnce: HTTP_READS_AT_ONCE, most: HTTP_CONNECTIONS });
  const looks = keptLooks();
  for (const one of ROUTES)
    app.on(one.method.toUpperCase(), honoPath(one.path), async (c) => {
      const given = await inputOf(c, one);
      const sameAs = one.method === "get" ? `${one.path} ${JSON.stringify(given)}` : null;
      const answered = (send: SendLine): Promise<RouteAnswer> => {
        const asked = one.method === "get" ? around : askedBy(around, c);
        const work = async (): Promise<RouteAnswer> => {
          const { call, sent } = callFor(asked, looks, send);
          return one.answer(call, given).finally(sent);
        };
        return (one.isWork ? works : reads).run(sameAs, work);
      };
      if (one.answers === "lines")
        return c.body(answerLines(around, answered), 200, { "content-type": "application/x-ndjson" });
      const answer = await answered(() => undefined);
      if (answer.picture) return pictureAnswer(c, answer.picture);
      // Bytes, not text: text is gone through once more for what is not well formed.
      if (answer.written) return c.body(answer.written, 200, JSON_TYPE);
      return c.body(Buffer.from(JSON.stringify(await answerData(answer))), 200, JSON_TYPE);
    });
}

const JSON_TYPE = { "content-type": "application/json" };

/** T3: the type is ours and not sniffed; who gets there without the page gets a file and no document. */
const pictureAnswer = (c: Context, { type, bytes }: NonNullable<RouteAnswer["picture"]>): Response =>
  c.body(new Uint8Array(bytes), 200, {
    "content-type": type,
    "content-security-policy": "default-src 'none'; sandbox",
    "content-disposition": "attachment",
  });

/** T2: whoever orders an act has the token; that he is no agent is told by his process, where it is one of this machine. */
function askedBy(around: PageSurroundings, c: Context): PageSurroundings {
  const { standsUnder: began } = around.at;
  const { localPort, remotePort } = (c.env as HttpBindings).incoming.socket;
  const standsUnder = (): readonly string[] => [
    ...(began?.() ?? []),
    ...sessionsAtOtherEnd({ localPort: localPort ?? 0, remotePort: remotePort ?? 0 }),
  ];
  return { ...around, at: { ...around.at, standsUnder } };
}

/** `{session}` as hono writes it. */
const honoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

const busy = (): RefloatError => new RefloatError("E_PAGE_BUSY");
const usage = (why: string): RefloatError => new RefloatError("E_USAGE", { why });
const tooLarge = (): RefloatError =>
  new RefloatError("E_TOO_LARGE", { what: "The request", bytes: "more", limit: HTTP_BODY_BYTES });

async function failed(c: Context, around: PageSurroundings, thrown: unknown): Promise<Response> {
  const { status, data } = await errorAnswer(thrown, typedBy(around));
  if (status === 429) c.header("retry-after", "1");
  return c.json(data, status);
}

async function inputOf(c: Context, { method, input }: Route): Promise<Record<string, unknown>> {
  const given = method === "get" ? c.req.query() : await bodyOf(c);
  const parsed = input.safeParse({ ...given, ...c.req.param() });
  if (parsed.success) return parsed.data;
  const [first] = parsed.error.issues;
  throw usage(`${first?.path.join(".") || "The request"}: ${first?.message ?? "it is not understood"}`);
}

/** Only JSON: a form, which any page can send, is not read. */
async function bodyOf(c: Context): Promise<Record<string, unknown>> {
  const type = c.req.header("content-type") ?? "";
  if (!/^application\/json(?:;|$)/i.test(type)) throw usage("The body must be application/json.");
  try {
    const body: unknown = await c.req.json();
    if (typeof body === "object" && body !== null && !Array.isArray(body)) return { ...body };
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
  }
  throw usage("The body is no JSON object.");
}
