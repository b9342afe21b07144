/**
 * Who may ask the page's server anything. Pure.
 *
 *  G1  The Host is the one it listens on, or an address: a name that somebody else points here (DNS rebinding) is refused.
 *  G2  A browser that asks from another page says so in Origin or Sec-Fetch-Site, and is refused, whatever it brings.
 *  G3  Data and acts want the token in a header of our own. No form and no foreign page can send one (CSRF), no cookie carries it, and it never
 *      stands in an address that is logged: the fragment it comes in does not leave the browser.
 *  G4  Who has not got it learns nothing by how long the answer takes, and can ask only a few times a second.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import { RefloatError } from "../../model/errors.ts";

export const TOKEN_HEADER = "x-refloat-token";

export interface AskedFrom {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly site: string | undefined;
}

/** `host`: as it was given to listen on. Null: it may go on. */
export function foreignTo({ host, origin, site }: AskedFrom, listensOn: string): RefloatError | null {
  if (host === undefined || !isOwnHost(host, listensOn)) return foreign(`host ${host ?? "(none)"}`);
  if (origin !== undefined && origin !== `http://${host}`) return foreign(`origin ${origin}`);
  if (site !== undefined && site !== "same-origin" && site !== "none") return foreign(`a ${site} page`);
  return null;
}

const foreign = (what: string): RefloatError => new RefloatError("E_PAGE_ORIGIN", { what });

/** G1: an address cannot be pointed elsewhere by whoever owns a name. */
function isOwnHost(header: string, listensOn: string): boolean {
  const name = header.replace(/:\d{1,5}$/, "").toLowerCase();
  return (
    name === "localhost" || name === listensOn.toLowerCase() || isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0
  );
}

/** G4: both sides are hashed first, so that they have one length. */
export const isToken = (given: string | undefined, token: string): boolean =>
  timingSafeEqual(digest(given ?? ""), digest(token));

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "localhost"]);

export const isLoopback = (host: string): boolean => LOOPBACK.has(host);

/** So many a second, and so many at once before that. A clock that is set back gives nothing. */
export function allowance(perSecond: number, burst: number, nowMs: () => number): () => boolean {
  let left = burst;
  let at = nowMs();
  return () => {
    const now = nowMs();
    left = Math.min(burst, left + (Math.max(0, now - at) / 1000) * perSecond);
    at = now;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}
