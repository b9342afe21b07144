/** What the page and its server have to say (errors.ts). */
import { entry } from "./error-entry.ts";

export const PAGE_ERRORS = {
  E_PAGE_TOKEN: entry(
    1,
    "The request does not carry the token of this page.",
    "Open the address that `refloat serve` printed: the token is in it, and another start has another.",
  ),
  E_PAGE_ORIGIN: entry(
    1,
    "The request comes from somewhere else: {what}.",
    "The page answers only what its own address asks; open the one that `refloat serve` printed.",
  ),
  E_PAGE_BUSY: entry(
    75,
    "Too many requests at once.",
    "Ask again in a moment; close pages that are not needed.",
  ),
  E_PAGE_UNKNOWN: entry(1, "There is nothing at {what}.", "/openapi.json lists what can be asked for."),
  E_PAGE_PORT: entry(
    1,
    "Nothing can listen on {host}, port {port}: {why}.",
    "Leave --port out, and a free one is taken.",
  ),
  E_PAGE_NOT_BUILT: entry(
    1,
    "The page's files are not beside the program: {path}.",
    "Install refloat again; in a checkout `npm run build` makes them.",
  ),
} as const;
