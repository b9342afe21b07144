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

export type Route =
  | { readonly kind: PlaceName }
  | { readonly kind: "session"; readonly session: string; readonly tab: SessionTab };

export const route = signal<Route>({ kind: "home" });

export function readRoute(hash: string): Route {
  const [, first = "", second = "", third = ""] = hash.replace(/^#/, "").split("/");
  if (first === "session" && second !== "")
    return { kind: "session", session: decodeURIComponent(second), tab: tabOf(third) };
  return { kind: PLACES.find(([name]) => name === first)?.[0] ?? "home" };
}

const tabOf = (text: string): SessionTab => (text === "left" || text === "handoff" ? text : "life");

export function hrefOf(to: Route): string {
  if (to.kind !== "session") return to.kind === "home" ? "#/" : `#/${to.kind}`;
  return `#/session/${encodeURIComponent(to.session)}${to.tab === "life" ? "" : `/${to.tab}`}`;
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
