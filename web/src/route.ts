/** Where on the page somebody is: behind the #, so that a link can be kept and the browser's own keys go back. */
import { signal } from "@preact/signals";

export type SessionTab = "life" | "left" | "handoff";

export const PLACES = [
  ["home", "Now"],
  ["sessions", "Sessions"],
  ["parked", "Parked"],
  ["worktrees", "Work trees"],
  ["doctor", "Doctor"],
  ["storage", "Storage"],
] as const;

export type PlaceName = (typeof PLACES)[number][0];

/** What of the list of sessions is looked at; what is left out is as it is at first. */
export interface SessionsLook {
  readonly state?: string;
  readonly scope?: string;
  readonly search?: string;
}

export type Route =
  | { readonly kind: Exclude<PlaceName, "sessions"> }
  | { readonly kind: "sessions"; readonly look?: SessionsLook }
  | { readonly kind: "session"; readonly session: string; readonly tab: SessionTab };

export const route = signal<Route>({ kind: "home" });

export function readRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  const [, first = "", second = "", third = ""] = path.split("/");
  if (first === "session" && second !== "")
    return { kind: "session", session: decodeURIComponent(second), tab: tabOf(third) };
  if (first === "sessions") return { kind: first, look: lookOf(new URLSearchParams(query)) };
  return { kind: PLACES.find(([name]) => name === first)?.[0] ?? "home" };
}

const LOOK_NAMES = ["state", "scope", "search"] as const;

const lookOf = (query: URLSearchParams): SessionsLook =>
  Object.fromEntries(LOOK_NAMES.flatMap((name) => (query.get(name) ? [[name, query.get(name)]] : [])));

const tabOf = (text: string): SessionTab => (text === "left" || text === "handoff" ? text : "life");

export function hrefOf(to: Route): string {
  if (to.kind === "sessions") return `#/sessions${queryOf(to.look ?? {})}`;
  if (to.kind !== "session") return to.kind === "home" ? "#/" : `#/${to.kind}`;
  return `#/session/${encodeURIComponent(to.session)}${to.tab === "life" ? "" : `/${to.tab}`}`;
}

function queryOf(look: SessionsLook): string {
  const given = LOOK_NAMES.flatMap((name) => (look[name] ? [[name, look[name]]] : []));
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

/** Another look at the same place: it can be kept and come back to, and is no step of its own on the way back. */
export function lookAgain(look: SessionsLook): void {
  route.value = { kind: "sessions", look };
  history.replaceState(null, "", hrefOf(route.value));
}

export function followRoute(): void {
  const read = (): void => {
    route.value = readRoute(location.hash);
  };
  addEventListener("hashchange", () => {
    read();
    // A new view begins at its top, for eyes and for screen readers.
    scrollTo(0, 0);
    document.querySelector<HTMLElement>("main")?.focus();
  });
  read();
}

export const go = (to: Route): void => {
  location.hash = hrefOf(to).slice(1);
};
