/**
 * `run --bundle DIR`: the bundle is there from the first capture on, is written anew while the agent runs whenever a new
 * capture was taken, and once more at the end, whatever ended the agent. A bundle that cannot be written is said and costs
 * nothing else.
 */
import { realpathSync } from "node:fs";
import { writeBundle } from "../../handoff/bundle/write-bundle.ts";
import { ensureError, RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import { BLACKBOX_LIVE_RECORDS, BLACKBOX_RECORDS } from "../../model/limits.ts";
import { every } from "../../platform/clock.ts";
import { makePrivateDirectory } from "../../platform/durable-file.ts";
import { placeInside } from "../../platform/places.ts";
import { capturesOf, newestCaptures } from "../../workspace/captures/captures.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import type { RefloatStore } from "../store/open-store.ts";
import type { RunFace } from "./run-order.ts";

export interface BundleOrder {
  readonly folder: string;
  readonly isRaw: boolean;
  /** The store's folder. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** Where the run was ordered. */
  readonly stands: string;
}

/** How often it is looked whether there is anything new to write. */
const LOOK_EVERY_MS = 3000;

export class RunBundle {
  readonly #order: BundleOrder;
  readonly #store: RefloatStore;
  readonly #session: SessionId;
  readonly #face: Pick<RunFace, "tell">;
  #written: string | null = null;
  #writing: Promise<void> = Promise.resolve();
  #timer: { stop(): void } | null = null;

  constructor(order: BundleOrder, store: RefloatStore, session: SessionId, face: Pick<RunFace, "tell">) {
    this.#order = order;
    this.#store = store;
    this.#session = session;
    this.#face = face;
  }

  start(): void {
    void this.#writeIfNew();
    this.#timer = every(LOOK_EVERY_MS, () => void this.#writeIfNew());
  }

  /** The last one, with the end in it. */
  async end(): Promise<void> {
    this.#timer?.stop();
    await this.#inTurn(true);
  }

  #writeIfNew(): Promise<void> {
    return this.#inTurn(false);
  }

  #inTurn(isLast: boolean): Promise<void> {
    this.#writing = this.#writing
      .then(() => this.#write(isLast))
      .catch((thrown: unknown) => this.#face.tell({ kind: "bundle-failed", error: ensureError(thrown) }));
    return this.#writing;
  }

  async #write(isLast: boolean): Promise<void> {
    const { raw } = this.#store;
    const row = await raw.session(this.#session);
    if (!row) return;
    const [capture = null] = await newestCaptures(raw, [row], 1);
    if (!isLast && (capture === null || capture.id === this.#written)) return;
    const { home, env, stands } = this.#order;
    const looking = { clock: raw.clock, env, home, stands };
    const { briefOf } = await import("../handoff/session-brief.ts");
    const written = await briefOf({ kind: "session", store: this.#store, row }, looking);
    if (!written) return;
    const { workspace, manifest, facts, brief } = written;
    const { blackboxPage } = await import("./blackbox-page.ts");
    // Written over and over beside the agent: it costs him as little as may be.
    const most = isLast ? BLACKBOX_RECORDS : BLACKBOX_LIVE_RECORDS;
    const page = { ...(await blackboxPage(this.#store, row, { written, most })) };
    const repository = workspace.kind === "git" ? await workspace.repository() : null;
    const { gaps } = await writeBundle({
      ...this.#order,
      ...{ store: raw, row, repository, capture, manifest, facts, brief, page },
      headAtBegin: await this.#headAtBegin(),
    });
    this.#written = capture?.id ?? null;
    if (isLast && gaps.length > 0)
      this.#face.tell({ kind: "bundle-gaps", folder: this.#order.folder, gaps: gaps.length });
  }

  async #headAtBegin(): Promise<string | null> {
    for await (const { capture } of capturesOf(this.#store.raw, this.#session))
      return capture.head?.id ?? null;
    return null;
  }
}

/** Inside the workspace it would be captured into itself. Made now: a folder that cannot be is found out before the start. */
export function bundleFolder(workspace: Workspace, folder: string, typed: string): string {
  makePrivateDirectory(folder);
  if (placeInside(workspace.root, realpathSync(folder)) !== null)
    throw new RefloatError("E_USAGE", {
      why: `--bundle ${typed} lies inside the workspace: give a folder outside, or it is captured into itself.`,
    });
  return folder;
}
