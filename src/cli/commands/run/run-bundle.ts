/**
 * `run --bundle DIR`: the bundle is there from the first capture on, is written anew while the agent runs whenever a new
 * capture was taken, and once more at the end, whatever ended the agent. A bundle that cannot be written is said and costs
 * nothing else.
 */
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { handoffBudget } from "../../../app/handoff/budget.ts";
import { sessionBrief } from "../../../app/handoff/session-brief.ts";
import type { RefloatStore } from "../../../app/store/open-store.ts";
import { writeBundle } from "../../../handoff/bundle/write-bundle.ts";
import { writeBrief } from "../../../handoff/write-brief.ts";
import { ensureError } from "../../../model/errors.ts";
import type { SessionId } from "../../../model/ids.ts";
import { every } from "../../../platform/clock.ts";
import { makePrivateDirectory } from "../../../platform/durable-file.ts";
import { placeInside } from "../../../platform/places.ts";
import { capturesOf, newestCaptures } from "../../../workspace/captures/captures.ts";
import type { Workspace } from "../../../workspace/opening/workspace.ts";
import { usage } from "../../grammar/options.ts";
import { count } from "../../screen/words.ts";

export interface BundleOrder {
  readonly folder: string;
  readonly isRaw: boolean;
  /** The store's folder. */
  readonly home: string;
}

/** How often it is looked whether there is anything new to write. */
const LOOK_EVERY_MS = 3000;

export class RunBundle {
  readonly #order: BundleOrder;
  readonly #store: RefloatStore;
  readonly #session: SessionId;
  readonly #say: (line: string) => void;
  #written: string | null = null;
  #writing: Promise<void> = Promise.resolve();
  #timer: { stop(): void } | null = null;

  constructor(order: BundleOrder, store: RefloatStore, session: SessionId, say: (line: string) => void) {
    this.#order = order;
    this.#store = store;
    this.#session = session;
    this.#say = say;
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
      .catch((thrown: unknown) => this.#say(`the bundle was not written: ${ensureError(thrown).message}`));
    return this.#writing;
  }

  async #write(isLast: boolean): Promise<void> {
    const { raw } = this.#store;
    const row = await raw.session(this.#session);
    if (!row) return;
    const [capture = null] = await newestCaptures(raw, [row], 1);
    if (!isLast && (capture === null || capture.id === this.#written)) return;
    const options = { clock: raw.clock, env: process.env, home: this.#order.home };
    const { workspace, manifest, facts } = await sessionBrief(this.#store, row, options);
    const repository = workspace.kind === "git" ? await workspace.repository() : null;
    const { gaps } = await writeBundle({
      ...this.#order,
      ...{ store: raw, row, repository, capture, manifest, facts },
      brief: writeBrief(facts, await handoffBudget(workspace, process.env)),
      headAtBegin: await this.#headAtBegin(),
    });
    this.#written = capture?.id ?? null;
    if (isLast && gaps.length > 0)
      this.#say(
        `the bundle ${this.#order.folder} leaves out ${count(gaps.length, "path")}; its README.txt says which`,
      );
  }

  async #headAtBegin(): Promise<string | null> {
    for await (const { capture } of capturesOf(this.#store.raw, this.#session))
      return capture.head?.id ?? null;
    return null;
  }
}

/** Inside the workspace it would be captured into itself. Made now: a folder that cannot be is found out before the start. */
export function bundleFolder(workspace: Workspace, typed: string): string {
  const folder = resolve(typed);
  makePrivateDirectory(folder);
  if (placeInside(workspace.root, realpathSync(folder)) !== null)
    throw usage(
      `--bundle ${typed} lies inside the workspace: give a folder outside, or it is captured into itself.`,
    );
  return folder;
}
