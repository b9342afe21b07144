/** Where a request is answered, in which order, and what is said while it is: between the routes and the wire. */
import type { OpenedPlace } from "../../app/place/open-place.ts";
import { scopeOf } from "../../app/place/scope.ts";
import type { SalvagedSession, SalvageFace } from "../../app/salvage/salvage-session.ts";
import type { ShownRecords } from "../../app/sessions/session-records.ts";
import type { WrittenPages } from "../../app/sessions/written-pages.ts";
import type { AppNews } from "../../app/telling/news.ts";
import { RefloatError } from "../../model/errors.ts";
import { HTTP_UNREAD_LINES } from "../../model/limits.ts";
import { asTyped, programTyped } from "../../text/typed-command.ts";
import { answerData, errorAnswer } from "./answers.ts";
import { type CheckWatch, watchCheck } from "./check-output.ts";
import type { KeptLooks, PageCall, RouteAnswer } from "./route.ts";

export interface CallSurroundings {
  readonly at: OpenedPlace;
  readonly version: string;
  /** -C and --store as they can be typed from anywhere; null: neither was given (T6). */
  readonly typedWith: { readonly directory: string | null; readonly store: string | null };
  /** Records that were shown lately, to any page; and pages of them. */
  readonly shown: ShownRecords;
  readonly pages: WrittenPages;
  /** Ends every stream, and every check that is running. */
  readonly stop: AbortSignal;
}

/** One line of what is said while it is answered. */
export type SendLine = (line: Record<string, unknown>) => void;

export const typedBy =
  ({ typedWith }: Pick<CallSurroundings, "typedWith">, about: string | null = null) =>
  (text: string): string =>
    asTyped(text, programTyped({ about, ...typedWith }));

export interface BegunCall {
  readonly call: PageCall;
  /** When everything that was to be said of it is sent. */
  sent(): Promise<void>;
}

export function callFor(around: CallSurroundings, looks: KeptLooks, send: SendLine): BegunCall {
  const { at, version, stop, pages } = around;
  let about: string | null = null;
  const watch = watchCheck(send);
  const face: SalvageFace = {
    tell: (news) => {
      if (news.kind === "about")
        about = scopeOf(at.place(), "here").workspace === news.root ? null : news.root;
      else sendNews(news, send, watch);
    },
    progress: { onProgress: (done, total) => send({ kind: "progress", done, total }), end: () => undefined },
    untilStopped: (work) => work(stop),
  };
  const call = { at, face, version, looks, pages, typed: (text: string) => typedBy(around, about)(text) };
  return { call, sent: watch.sent };
}

/** What a person waits for, or must know while he does. */
function sendNews(news: AppNews, send: SendLine, watch: CheckWatch): void {
  switch (news.kind) {
    case "check-heard":
      watch.hear(news.said);
      break;
    case "check-ran":
      watch.end({ kind: "check-ran", outcome: news.outcome });
      break;
    case "check-step":
      watch.begin({ kind: "check-step", label: news.label, done: news.done, total: news.total });
      break;
    case "check-untrusted":
      send({ kind: "check-untrusted", command: news.command });
      break;
    case "of-commit":
      send({ kind: "of-commit", line: news.line });
      break;
    case "stops-leftovers":
      send({ kind: "stops-leftovers", found: news.found });
      break;
    default:
  }
}

/** A line as soon as it is known; the answer, or why there is none, is the last. */
export function answerLines(
  around: CallSurroundings,
  work: (send: SendLine) => Promise<RouteAnswer>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const lines = new TransformStream<Uint8Array, Uint8Array>();
  const writer = lines.writable.getWriter();
  // Who has gone away reads none of it; an act goes on all the same: it is planned, and can be taken back (S5).
  let unread = 0;
  const send: SendLine = (line) => {
    // T5: what replaces itself is not kept for who does not read.
    if (line.kind === "check-output" && unread >= HTTP_UNREAD_LINES) return;
    unread++;
    const read = (): number => unread--;
    writer.write(encoder.encode(`${JSON.stringify(line)}\n`)).then(read, read);
  };
  const ending = async (): Promise<void> => {
    try {
      send({ ...(await answerData(await work(send))), kind: "answer" });
    } catch (thrown) {
      const { status, data } = await errorAnswer(thrown, typedBy(around));
      send({ ...data, status, kind: "error" });
    }
    await writer.close().catch(() => undefined);
  };
  void ending();
  return lines.readable;
}

export interface WorkQueue {
  /** `sameAs`: what is asked for; who asks for the same while it still waits gets the one answer. Null: it is done for itself. */
  run<T>(sameAs: string | null, work: () => Promise<T>): Promise<T>;
}

/** In the order they came, `atOnce` of them side by side, and a bounded number that waits. */
export function workQueue({ atOnce, most }: { readonly atOnce: number; readonly most: number }): WorkQueue {
  const next: (() => void)[] = [];
  const waiting = new Map<string, Promise<unknown>>();
  let running = 0;
  const queued = async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < atOnce) running++;
    else await new Promise<void>((resolve) => next.push(resolve));
    try {
      return await work();
    } finally {
      // Its place goes to the next one, which hears nothing of how this one ended.
      const following = next.shift();
      if (following) following();
      else running--;
    }
  };
  return {
    run: async <T>(sameAs: string | null, work: () => Promise<T>): Promise<T> => {
      const known = sameAs === null ? undefined : waiting.get(sameAs);
      if (known) return known as Promise<T>;
      if (running + next.length >= most) throw new RefloatError("E_PAGE_BUSY");
      let isBegun = false;
      const mine = queued(() => {
        isBegun = true;
        // Who asks from now on may want to see what is newer.
        if (sameAs !== null) waiting.delete(sameAs);
        return work();
      });
      if (sameAs !== null && !isBegun) waiting.set(sameAs, mine);
      return mine;
    },
  };
}

/** Each holds what was read of a tree. */
const MAX_LOOKS = 4;

export function keptLooks(): KeptLooks {
  const looks = new Map<string, SalvagedSession>();
  return {
    keep: (session, look) => {
      looks.delete(session);
      looks.set(session, look);
      for (const oldest of [...looks.keys()].slice(0, -MAX_LOOKS)) looks.delete(oldest);
    },
    find: (session) => looks.get(session) ?? null,
  };
}
