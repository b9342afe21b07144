/** refloat's own card: the store's (card.ts) with every room below, each loaded when it is first needed. */
import type { TakeCapture } from "../../conversation/session.ts";
import type { SessionId } from "../../model/ids.ts";
import type { Environment } from "../../platform/places.ts";
import { homeOfStore } from "../../platform/store-address.ts";
import type { FindUnsettled } from "../../session/describe.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { addressOf, knowsSession, type OpenStoreOptions, openRawStore } from "../../store/open-raw-store.ts";
import type { Store } from "../../store/store.ts";
import type { LookedTrees } from "../../workspace/trust/open-trusted.ts";
import type { FindActed } from "../../workspace/unsettled/held-unsettled.ts";
import { capturesFor } from "./captures-for.ts";
import { type CardRooms, cardOf, type RefloatStore } from "./card.ts";
import { assertMayLift, type RecoverySurroundings, recoveryFor } from "./recovery-for.ts";
import { sessionSteps } from "./session-steps.ts";

export type { RefloatStore } from "./card.ts";

export async function openStore(url?: string, options: OpenStoreOptions = {}): Promise<RefloatStore> {
  const env = options.env ?? process.env;
  const address = url ?? addressOf(options);
  if (options.acceptLoss) await assertMayAcceptLoss(address, env);
  const raw = await openRawStore(url, options);
  const home = homeOfStore(address, env);
  return cardOf(raw, home, allRooms(raw, address, { env, home }));
}

interface Surroundings {
  readonly env: Environment;
  readonly home: string;
}

function allRooms(raw: Store, address: string, around: Surroundings): CardRooms {
  const captures = capturesFor(raw, address);
  const steps = sessionSteps(raw);
  const describe = describer(raw);
  const recoverWith = async (): Promise<RecoverySurroundings> => ({
    ...around,
    ...(await captures.workspaces()),
  });
  return {
    begin: async (begin) => {
      if (begin.lift !== undefined) await assertMayLift(begin.id ?? null);
      return {
        takeCapture: capturer(raw, begin.workspace),
        openCaptures: (of) => captures.open(of, begin.workspace, begin.onCaptureFailed ?? (() => undefined)),
        recovery: recoveryFor(raw, begin, recoverWith),
        ...begin,
      };
    },
    begun: () => steps.begun(),
    describe,
    recover: async () => {
      const { recover } = await import("../recovery/recover.ts");
      const { recoveredIn } = await import("../../recover/recover-sessions.ts");
      const { workspaceAt, ...how } = await recoverWith();
      return recoveredIn(await recover({ store: raw, ...how, where: { kind: "everywhere", workspaceAt } }));
    },
    forget: async (selector) => {
      const { forgetNow } = await import("./forget.ts");
      return forgetNow({ store: raw, ...around, selector });
    },
    delete: async (session, order = {}) => {
      const { deleteNow } = await import("./delete.ts");
      const { dropKeptAnalysis } = await import("../../salvage/analysis/kept-analysis.ts");
      const whyUnsettled = async (id: SessionId): Promise<string | null> => {
        const row = await raw.session(id);
        if (row !== null && (await describe([row])).some(({ unsettled }) => unsettled))
          return "it left changes that nobody has settled, and what is held of them would go with it";
        const { holdsParked } = await import("../../acts/plans/parked-along.ts");
        if (!(await holdsParked(raw, row))) return null;
        return "what came parked with it is parked still (`refloat parked`), and would go with it";
      };
      const done = await deleteNow({ ...order, store: raw, env: around.env, session, whyUnsettled });
      dropKeptAnalysis(around.home);
      return done;
    },
    done: async () => {
      await steps.stop();
      await captures.done();
    },
  };
}

/** T2: what was lost may be what speaks against whoever is judged. Asked of a store that cannot be opened yet. */
export async function assertMayAcceptLoss(address: string, env: Environment): Promise<void> {
  const { assertNotJudged } = await import("../../workspace/trust/judged-session.ts");
  await assertNotJudged(env, { session: (id) => knowsSession(address, id) }, "accept a loss");
}

/** The workspace's room is loaded when the first capture is asked for: a chat gateway never needs it. */
function capturer(raw: Store, place: string): TakeCapture {
  return async (session, note) => {
    const { takeCapture } = await import("../../workspace/captures/take-capture.ts");
    const { openTrusted } = await import("../../workspace/trust/open-trusted.ts");
    const env = process.env;
    const workspace = openTrusted(raw, place, env);
    const options = { env, session: session as SessionId, note, place, reason: "manual" as const };
    const { id, seq, capture } = await takeCapture(raw, workspace, options);
    return { id, seq, partial: capture.partial };
  };
}

/** What nobody has recorded yet is told as a recovery would; that room is loaded only where something died. */
function describer(raw: Store): CardRooms["describe"] {
  const findUnsettled = unsettledFinder(raw);
  return async (rows, trees) => {
    const { describeRows } = await import("../../session/describe.ts");
    const summaries = await describeRows(raw, rows, (some) => findUnsettled(some, trees));
    if (!summaries.some(({ state }) => state === "interrupted" || state === "suspended")) return summaries;
    const { asFound } = await import("../../recover/survey-session.ts");
    return asFound(raw, rows, summaries);
  };
}

/** Only sessions that were captured, or are to be, are looked after; a store without any never loads the workspace's room. */
function unsettledFinder(
  raw: Store,
): (rows: readonly SessionRow[], trees?: LookedTrees) => ReturnType<FindUnsettled> {
  return async (rows, trees) => {
    const captured = rows.filter(
      ({ facts }) => facts.capture !== undefined || facts.owes_end_capture === true,
    );
    if (captured.length === 0) return new Set();
    const { unsettledAmong } = await import("../../workspace/unsettled/unsettled.ts");
    // Plans are read only of sessions whose tree is another by now.
    const findActed: FindActed = async (...about) =>
      (await import("../../acts/plans/session-acts.ts")).actedInName(...about);
    return unsettledAmong(raw, captured, process.env, findActed, trees);
  };
}
