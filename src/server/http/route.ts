/** A question the page's server answers: where it is asked, what it takes, and what comes back, as the command line's `--json` has it (S7). */
import type { z } from "zod";
import type { OpenedPlace } from "../../app/place/open-place.ts";
import type { SidePicture } from "../../app/salvage/group-changes.ts";
import type { SalvagedSession, SalvageFace } from "../../app/salvage/salvage-session.ts";
import type { WrittenPages } from "../../app/sessions/written-pages.ts";

/** Where one request is answered. */
export interface PageCall {
  readonly at: OpenedPlace;
  readonly face: SalvageFace;
  /** A sentence of ours whose commands can be typed where the server stands (T6); of another workspace after `face.tell` named it. */
  typed(text: string): string;
  readonly version: string;
  readonly pages: WrittenPages;
  /** The last looks at what sessions left: a group's id is a hash of its content, so a diff needs no second look. */
  readonly looks: KeptLooks;
}

export interface KeptLooks {
  keep(session: string, look: SalvagedSession): void;
  /** Null: it is not among the last few. */
  find(session: string): SalvagedSession | null;
}

export interface RouteAnswer {
  /** The command's words joined by "-": the schema's name. */
  readonly command: string;
  readonly json: Readonly<Record<string, unknown>>;
  /** Instead of data: the same as JSON, under its schema's name, without secrets and within the bound. */
  readonly written?: Uint8Array<ArrayBuffer>;
  /** Instead of data: a picture, of a type that a browser only draws (T3). */
  readonly picture?: SidePicture;
  /** Its secrets are out already (T4): a page of records is searched where it is read. */
  readonly isRedacted?: boolean;
}

export interface Route<Schema extends z.ZodObject = z.ZodObject> {
  readonly method: "get" | "post";
  /** With `{session}` where the session's id, name or beginning stands. */
  readonly path: string;
  readonly summary: string;
  readonly about: string;
  /** Of a get: its query. Of a post: its body. `session` is the path's. */
  readonly input: Schema;
  /** `lines`: how far it is, a JSON object a line, the last one the answer or the error. */
  readonly answers: "json" | "lines" | "picture";
  /** It judges, plans or acts: one after the other. */
  readonly isWork: boolean;
  answer(call: PageCall, given: z.output<Schema>): Promise<RouteAnswer>;
}

/** The compiler checks the answer against the input; the table of routes does not. */
export const route = <Schema extends z.ZodObject>(one: Route<Schema>): Route => one as unknown as Route;
