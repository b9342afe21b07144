/**
 * The page's one way to its server. The token comes in the address behind the #, is taken out of it at once, and is kept for this tab alone;
 * it goes along as a header, which no other page can send.
 */
import { signal } from "@preact/signals";

const TOKEN_HEADER = "x-refloat-token";
const KEPT_AS = "refloat-token";

export interface ApiError {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** Whether changes come by themselves right now. */
export const connection = signal<"live" | "waiting" | "refused">("waiting");

/** Counts what changed: whoever shows something looks again. */
export const changes = signal(0);

let token: string | null = null;

/** Taken from the address; returns where on the page that leads. */
export function takeToken(): string | null {
  const given = new URLSearchParams(location.hash.slice(1));
  const found = given.get("token");
  if (found !== null) {
    const to = given.get("to") ?? "/";
    sessionStorage.setItem(KEPT_AS, found);
    history.replaceState(null, "", `#${to}`);
  }
  token = sessionStorage.getItem(KEPT_AS);
  return token;
}

/** The address of another start, opened in this tab, differs only behind the #: no browser loads anything for that. */
export function followToken(): void {
  addEventListener("hashchange", () => {
    if (new URLSearchParams(location.hash.slice(1)).has("token")) location.reload();
  });
}

const headers = (): Record<string, string> => ({ [TOKEN_HEADER]: token ?? "" });

type Query = Readonly<Record<string, unknown>>;

/** Of a page without a server, which holds what it shows; undefined: it does not hold that. */
export type HeldAnswers = (path: string, query: Query) => unknown;

let held: HeldAnswers | null = null;

/** From now on nobody is asked. */
export const answerFrom = (answers: HeldAnswers): void => {
  held = answers;
};

/** It can be looked at, and nothing can be done. */
export const isHeld = (): boolean => held !== null;

const NOT_HELD: ApiError = {
  code: "E_NOT_HELD",
  message: "This file does not hold that.",
  hint: "The other files of the bundle may.",
};

/** Rejects with an ApiError. */
export async function ask<T>(path: string, query: Query = {}): Promise<T> {
  if (held) {
    const found = held(path, query);
    if (found === undefined) throw NOT_HELD;
    return found as T;
  }
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  const answer = await reached(`${path}${given.length > 0 ? `?${search}` : ""}`, { headers: headers() });
  const data: unknown = await answer.json();
  if (!answer.ok) throw data;
  return data as T;
}

/** As an address that only this page knows, and only draws; to be revoked. */
export async function askPicture(path: string, query: Readonly<Record<string, string>>): Promise<string> {
  const answer = await reached(`${path}?${new URLSearchParams(query)}`, { headers: headers() });
  if (!answer.ok) throw await answer.json();
  const type = answer.headers.get("content-type") ?? "";
  if (!/^image\/(?:png|jpeg|gif|webp|bmp)$/.test(type)) throw GONE;
  return URL.createObjectURL(new Blob([await answer.arrayBuffer()], { type }));
}

export interface AnswerLine {
  readonly kind: string;
  readonly [name: string]: unknown;
}

/** Said while it is done; resolves with the answer, rejects with an ApiError. */
export async function order<T>(
  path: string,
  body: Readonly<Record<string, unknown>>,
  onLine: (line: AnswerLine) => void = () => undefined,
): Promise<T> {
  const answer = await reached(path, {
    method: "POST",
    headers: { ...headers(), "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw await answer.json();
  for await (const text of linesOf(answer)) {
    const line = JSON.parse(text) as AnswerLine;
    if (line.kind === "answer") return line as unknown as T;
    if (line.kind === "error") throw line;
    onLine(line);
  }
  throw GONE;
}

const GONE: ApiError = {
  code: "E_PAGE_GONE",
  message: "The server does not answer any more.",
  hint: "Start `refloat serve` again and open the address it prints. Nothing is lost: what was decided is in the store.",
};

async function reached(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, { ...init, cache: "no-store", credentials: "omit" });
  } catch {
    throw GONE;
  }
}

async function* linesOf(answer: Response): AsyncGenerator<string> {
  let rest = "";
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    const lines = (rest + (value ?? "")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield line;
    if (done) return;
  }
}

export interface LiveEvent {
  readonly event: string;
  readonly id: string;
  readonly data: unknown;
}

const RETRY_MS = [500, 1000, 2000, 5000];

/**
 * A browser has six connections to one server for all its tabs together: a tab that nobody looks at holds none. Its signal is
 * over when the tab is put away; `seen` waits until somebody looks again.
 */
function lookedAt(): { readonly signal: AbortSignal; seen(): Promise<void>; end(): void } {
  const away = new AbortController();
  if (typeof document === "undefined") {
    const nothing = (): void => undefined;
    return { signal: away.signal, seen: async () => undefined, end: nothing };
  }
  const isSeen = (): boolean => document.visibilityState === "visible";
  const put = (): void => (isSeen() ? undefined : away.abort());
  document.addEventListener("visibilitychange", put);
  return {
    signal: away.signal,
    seen: () =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!isSeen()) return;
          document.removeEventListener("visibilitychange", look);
          resolve();
        };
        document.addEventListener("visibilitychange", look);
        look();
      }),
    end: () => document.removeEventListener("visibilitychange", put),
  };
}

/** Until the signal: reconnects by itself and goes on after the last id it saw. */
export async function follow(
  path: string,
  first: string | null,
  onEvent: (event: LiveEvent) => void,
  stop: AbortSignal,
): Promise<void> {
  let last = first;
  for (let failures = 0; !stop.aborted; failures++) {
    const tab = lookedAt();
    await tab.seen();
    try {
      const asked = { ...headers(), ...(last === null ? {} : { "last-event-id": last }) };
      const signal = AbortSignal.any([stop, tab.signal]);
      const answer = await fetch(path, { headers: asked, cache: "no-store", signal });
      if (answer.status === 401 || answer.status === 403 || answer.status === 404) {
        connection.value = "refused";
        return;
      }
      connection.value = answer.ok ? "live" : "waiting";
      for await (const event of answer.ok ? eventsOf(answer) : []) {
        failures = 0;
        last = event.id;
        onEvent(event);
      }
    } catch {
      // The server is gone, the tab slept or was put away: it is asked again below.
    } finally {
      tab.end();
    }
    if (stop.aborted) return;
    // Put away: it is asked again as soon as somebody looks, and nothing was wrong.
    if (tab.signal.aborted) failures = -1;
    else {
      connection.value = "waiting";
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]));
    }
  }
}

async function* eventsOf(answer: Response): AsyncGenerator<LiveEvent> {
  let [event, id, data] = ["", "", ""];
  for await (const line of linesOf(answer)) {
    if (line === "" && data !== "") {
      yield { event, id, data: JSON.parse(data) };
      [event, id, data] = ["", "", ""];
    } else if (line.startsWith("event: ")) event = line.slice(7);
    else if (line.startsWith("id: ")) id = line.slice(4);
    else if (line.startsWith("data: ")) data = line.slice(6);
  }
}

/** So often at most a page looks again, however much happens. */
const LOOK_AGAIN_MS = 400;

export function watchChanges(): void {
  let isDue = false;
  const changed = (): void => {
    if (isDue) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      changes.value++;
    }, LOOK_AGAIN_MS);
  };
  void follow(
    "/api/changes",
    null,
    ({ event }) => event === "changed" && changed(),
    new AbortController().signal,
  );
  // What agents without a supervisor write is taken in when somebody looks.
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && changed());
}
