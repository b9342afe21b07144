/**
 * The card without the rest (@refloat/core): store, sessions, conversations, gateways. No workspace is looked at: nothing is captured by
 * itself, and whether a session's changes are settled nobody here can tell. Dead owners' sessions are recovered, counted and
 * suspended as by refloat itself (L2); what only it can know of an end (an agent's own transcript) is left to it.
 */
import type { BeginRecovery } from "../../conversation/begin.ts";
import type { SessionId } from "../../model/ids.ts";
import { homeOfStore } from "../../platform/store-address.ts";
import type { RecoverOptions } from "../../recover/recover-one.ts";
import { addressOf, type OpenStoreOptions, openRawStore } from "../../store/open-raw-store.ts";
import type { Store } from "../../store/store.ts";
import { type CardRooms, cardOf, type RefloatStore } from "./card.ts";

export async function openStore(url?: string, options: OpenStoreOptions = {}): Promise<RefloatStore> {
  const env = options.env ?? process.env;
  const raw = await openRawStore(url, options);
  const home = homeOfStore(url ?? addressOf(options), env);
  return cardOf(raw, home, coreRooms(raw, { env, home }));
}

type RecoverHow = Pick<RecoverOptions, "env" | "home">;

function coreRooms(raw: Store, how: RecoverHow): CardRooms {
  return {
    begin: async (begin) => ({ ...begin, captures: "off", recovery: recoveryIn(raw, how, begin.liveness) }),
    begun: () => undefined,
    describe: async (rows) => {
      const { describeRows } = await import("../../session/describe.ts");
      const summaries = await describeRows(raw, rows, async () => new Set());
      const { asFound } = await import("../../recover/survey-session.ts");
      return asFound(raw, rows, summaries);
    },
    recover: async () => {
      const { recoveredIn, recoverSessions } = await import("../../recover/recover-sessions.ts");
      const { finishErasures } = await import("../../store/finish-erasures.ts");
      await finishErasures(raw);
      return recoveredIn(await recoverSessions(raw, { ...how, workspaceAt: () => null }));
    },
    forget: async (selector) => {
      const { forget } = await import("../../store/forget.ts");
      const { finishErasures } = await import("../../store/finish-erasures.ts");
      await assertMayErase(raw, how);
      await finishErasures(raw);
      const done = await forget(raw, selector);
      await dropFoundOut(how);
      return done;
    },
    delete: async (session, order = {}) => {
      const { deleteNow } = await import("./delete.ts");
      const whyUnsettled = (id: SessionId): Promise<string | null> => whyCaptured(raw, id);
      const done = await deleteNow({
        ...order,
        ...{ store: raw, env: how.env ?? process.env, session, whyUnsettled },
      });
      await dropFoundOut(how);
      return done;
    },
    done: async () => undefined,
  };
}

function recoveryIn(raw: Store, how: RecoverHow, liveness: RecoverOptions["liveness"]): BeginRecovery {
  const asking = liveness ? { liveness } : {};
  return {
    nameEnd: async (row) => {
      const { surveySession } = await import("../../recover/survey-session.ts");
      return (await surveySession(raw, row, asking)).end;
    },
    recover: async (row) => {
      const { recoverOne } = await import("../../recover/recover-one.ts");
      const place = typeof row.facts.workspace === "string" ? row.facts.workspace : "";
      const outcome = await recoverOne(raw, null, row, { ...how, ...asking, place });
      return outcome?.kind === "recovered" ? outcome.recovered : null;
    },
  };
}

/** T2, as in refloat: a process under a session's mark erases nothing. */
async function assertMayErase(raw: Store, { env }: RecoverHow): Promise<void> {
  const { assertNotJudged } = await import("../../workspace/trust/judged-session.ts");
  await assertNotJudged(env ?? process.env, raw, "erase records");
}

/** What refloat's judge found out about files lies in the same home where both are used, and names what they held (D2). */
async function dropFoundOut({ home }: RecoverHow): Promise<void> {
  const { dropKeptAnalysis } = await import("../../salvage/analysis/kept-analysis.ts");
  if (home !== undefined) dropKeptAnalysis(home);
}

async function whyCaptured(raw: Store, session: SessionId): Promise<string | null> {
  const {
    capture,
    owes_end_capture: owes,
    carries_parked: parked,
  } = (await raw.session(session))?.facts ?? {};
  if (capture === undefined && owes !== true && parked !== true) return null;
  return "work of it is held, and whether that is settled only refloat can tell";
}
