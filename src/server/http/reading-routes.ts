/** What can be looked at: the first view, sessions, one of them, what it left, its brief, the store. Nothing is changed, and no check is run (S7). */
import { z } from "zod";
import { parkedInReach } from "../../app/acts/parked.ts";
import { parkedJson, parkedRows } from "../../app/acts/told-parked.ts";
import { briefHere } from "../../app/handoff/session-brief.ts";
import { scopeOf } from "../../app/place/scope.ts";
import { workspaceHere } from "../../app/place/workspace-here.ts";
import { assertMayAct } from "../../app/salvage/chosen-acts.ts";
import { groupChanges, pictureOf } from "../../app/salvage/group-changes.ts";
import { inspect } from "../../app/salvage/inspect.ts";
import type { SalvagedSession } from "../../app/salvage/salvage-session.ts";
import { toldCheck } from "../../app/salvage/told-check.ts";
import { findSession, noSessionHere } from "../../app/sessions/find-session.ts";
import { outputRate } from "../../app/sessions/output-rate.ts";
import { sessionRecords } from "../../app/sessions/session-records.ts";
import { listSessions } from "../../app/sessions/sessions-in-scope.ts";
import { toldSession } from "../../app/sessions/told-session.ts";
import { status } from "../../app/status/status.ts";
import { toldStatus } from "../../app/status/told-status.ts";
import { wouldDrop } from "../../app/upkeep/check.ts";
import { doctor } from "../../app/workflow/doctor.ts";
import { toldSteps } from "../../app/workflow/told-steps.ts";
import { listWorktreesOf } from "../../app/worktrees/worktrees.ts";
import { RefloatError } from "../../model/errors.ts";
import {
  DEFAULT_STORE_CAP_BYTES,
  MAX_BUDGET_TOKENS,
  MAX_ID_BYTES,
  MIN_BUDGET_TOKENS,
  READ_PAGE_ROWS,
} from "../../model/limits.ts";
import type { SessionSummary } from "../../session/describe.ts";
import { type PageCall, type Route, type RouteAnswer, route } from "./route.ts";

export const sessionName = z
  .string()
  .min(1)
  .max(MAX_ID_BYTES)
  .describe("A session's id, its name, or the beginning of its id.");

const scope = z
  .enum(["repository", "here", "all"])
  .default("repository")
  .describe("The repository with its work trees, this work tree alone, or every workspace of the store.");

const homeRoute = route({
  method: "get",
  path: "/api/home",
  summary: "Where things stand",
  about:
    "As `refloat status --json`: sessions, what they left with a verdict on each group, the next commands. `may_act`: whether acts are answered by this server at all.",
  input: z.strictObject({ scope }),
  answers: "json",
  isWork: true,
  answer: async (call, given) => {
    const { at, face, typed, version } = call;
    const scoped = scopeOf(at.place(), given.scope);
    const told = toldStatus(await status(at, scoped, face), scoped, typed);
    const sessions = told.sessions.slice(0, FIRST_SESSIONS);
    const json = { ...told, sessions, sessions_in_all: told.sessions.length, place: at.place(), version };
    return { command: "status", json: { ...json, ...(await actingOf(call)) } };
  },
});

/** What a first view lists; /api/sessions has the rest. */
const FIRST_SESSIONS = 200;

/** T2: said before somebody tries. */
async function actingOf({ at }: PageCall): Promise<{ may_act: boolean; why_not: string | null }> {
  try {
    await assertMayAct(at);
    return { may_act: true, why_not: null };
  } catch (thrown) {
    if (thrown instanceof RefloatError) return { may_act: false, why_not: thrown.message };
    throw thrown;
  }
}

/** Sessions of one answer. */
const MAX_LISTED = 500;

const sessionsRoute = route({
  method: "get",
  path: "/api/sessions",
  summary: "Sessions, newest first",
  about: "As `refloat sessions --json`, with a filter, a search and pages.",
  input: z.strictObject({
    scope,
    state: z
      .enum(["live", "idle", "interrupted", "suspended", "finished", "unsettled"])
      .describe("Only these; `unsettled` beside any state.")
      .optional(),
    search: z.string().max(200).describe("In id, name, agent, workspace or cause.").optional(),
    skip: z.coerce.number().int().min(0).default(0).describe("So many are passed over."),
    limit: z.coerce.number().int().min(1).max(MAX_LISTED).default(100).describe("At most so many."),
  }),
  answers: "json",
  isWork: false,
  answer: async ({ at }, { scope: kind, state, search = "", skip, limit }) => {
    const { sessions } = await listSessions(at, scopeOf(at.place(), kind), { isShortened: false });
    const wanted = sessions.filter((one) => isInState(one, state) && isNamed(one, search.toLowerCase()));
    return {
      command: "sessions",
      json: { sessions: wanted.slice(skip, skip + limit), found: wanted.length, in_all: sessions.length },
    };
  },
});

const isInState = (one: SessionSummary, state: string | undefined): boolean =>
  state === undefined || (state === "unsettled" ? one.unsettled : one.state === state);

const isNamed = ({ id, name, agent, workspace, cause }: SessionSummary, search: string): boolean =>
  search === "" || [id, name, agent, workspace, cause].some((text) => text?.toLowerCase().includes(search));

const sessionRoute = route({
  method: "get",
  path: "/api/sessions/{session}",
  summary: "One session",
  about:
    "As `refloat show --json`: attempts, turns, calls, operations, decisions, in order; with the number of its newest record.",
  input: z.strictObject({ session: sessionName }),
  answers: "json",
  isWork: false,
  answer: async ({ at }, { session: named }) => {
    const { store, row } = await findSession(at, named);
    return { command: "show", json: { ...(await toldSession(store, row)) } };
  },
});

const recordsRoute = route({
  method: "get",
  path: "/api/sessions/{session}/records",
  summary: "Its journal, a page at a time",
  about:
    "Records by sequence number, which has no gaps: record n is found by `from=n`. Without secrets; long texts are cut.",
  input: z.strictObject({
    session: sessionName,
    from: z.coerce.number().int().min(1).default(1).describe("The first that is wanted."),
    limit: z.coerce.number().int().min(1).max(READ_PAGE_ROWS).default(100).describe("At most so many."),
  }),
  answers: "json",
  isWork: false,
  answer: async ({ at, pages }, { session, from, limit }) => {
    const written = await pages.page(at, { session, from, limit });
    if (written) return { command: "records", json: {}, written };
    // Longer than an answer may be: of what is in it, some is left out.
    const { page } = await sessionRecords(at, session);
    return { command: "records", json: { ...(await page(from, limit)) }, isRedacted: true };
  },
});

const rateRoute = route({
  method: "get",
  path: "/api/sessions/{session}/rate",
  summary: "How much it said, over its life",
  about:
    "Characters of messages and results, in equal stretches of time; `rate` is null where nothing was said.",
  input: z.strictObject({ session: sessionName }),
  answers: "json",
  isWork: false,
  answer: async ({ at }, { session }) => {
    const { store, row } = await findSession(at, session);
    return { command: "rate", json: { rate: await outputRate(store, row) } };
  },
});

const salvageRoute = route({
  method: "get",
  path: "/api/sessions/{session}/salvage",
  summary: "What it left, with verdicts",
  about:
    "As `refloat inspect --json`. The user's check is not run for it; `check` says whether its last run is in the verdicts.",
  input: z.strictObject({ session: sessionName }),
  answers: "json",
  isWork: true,
  answer: (call, { session }) => inspected(call, session, { isChecking: false }),
});

export async function inspected(
  { at, face, typed, looks }: PageCall,
  session: string,
  { isChecking }: { readonly isChecking: boolean },
): Promise<RouteAnswer> {
  const order = { session, verify: null, isLinking: false, stopsLeftovers: false, isChecking };
  const { manifest, judged } = await inspect(at, order, face);
  looks.keep(manifest.session.id, judged);
  const check = await toldCheck(judged);
  const { workspace } = judged.here;
  const can_commit = workspace.kind === "git";
  const steps = toldSteps(workspace.root);
  return {
    command: "inspect",
    json: { ...manifest, next: manifest.next.map(typed), check, can_commit, steps },
  };
}

const diffRoute = route({
  method: "get",
  path: "/api/sessions/{session}/diff",
  summary: "What a group changes",
  about:
    "Each file as a unified diff, or why there is none (binary, too large, not held). Secrets are taken out of both sides.",
  input: z.strictObject({
    session: sessionName,
    group: z.string().min(1).max(MAX_ID_BYTES).describe("The group's id, or the beginning of it."),
  }),
  answers: "json",
  isWork: true,
  answer: async (call, { session, group }) => {
    const { found } = await lookWith(call, session, group);
    return { command: "diff", json: { ...(await groupChanges(found, group)) } };
  },
});

/** The last look that has this group in it, else a new one. */
async function lookWith(call: PageCall, session: string, group: string): Promise<SalvagedSession> {
  const kept = call.looks.find(session);
  const isKept = kept?.found.groups.some(({ id }) => id === group);
  if (!isKept) await inspected(call, session, { isChecking: false });
  const look = call.looks.find(session);
  if (!look) throw new RefloatError("E_NO_GROUP", { what: group });
  return look;
}

const pictureRoute = route({
  method: "get",
  path: "/api/sessions/{session}/picture",
  summary: "A picture that a group changes, as it was or as it is",
  about:
    "PNG, JPEG, GIF, WebP or BMP, told by its bytes. Anything else, an SVG too, is no picture here: E_PAGE_UNKNOWN.",
  input: z.strictObject({
    session: sessionName,
    group: z.string().min(1).max(MAX_ID_BYTES).describe("The group's whole id."),
    file: z.coerce.number().int().min(0).describe("Its place among the files of the group's diff, from 0."),
    side: z.enum(["before", "after"]),
  }),
  answers: "picture",
  isWork: true,
  answer: async (call, { session, group, file, side }) => {
    const { found } = await lookWith(call, session, group);
    const picture = await pictureOf(found, { group, file, side });
    if (!picture) throw new RefloatError("E_PAGE_UNKNOWN", { what: "no picture that is shown" });
    return { command: "picture", json: {}, picture };
  },
});

const handoffRoute = route({
  method: "get",
  path: "/api/sessions/{session}/handoff",
  summary: "The brief for whoever goes on",
  about: "As `refloat handoff --json`, within a budget of tokens (one is four bytes of UTF-8).",
  input: z.strictObject({
    session: sessionName,
    budget: z.coerce.number().int().min(MIN_BUDGET_TOKENS).max(MAX_BUDGET_TOKENS).optional(),
  }),
  answers: "json",
  isWork: true,
  answer: async ({ at, face, typed }, { session, budget }) => {
    const onWorkspace = (root: string): void => face.tell({ kind: "about", root });
    const told = await briefHere(at, { session, budget: budget ?? null }, { typed, onWorkspace });
    if (!told) throw await noSessionHere(at);
    const { facts, brief } = told;
    const { markdown, left_out, tokens } = brief;
    const bounds = { least: MIN_BUDGET_TOKENS, most: MAX_BUDGET_TOKENS };
    return {
      command: "handoff",
      json: { session: facts.session, budget: brief.budget, tokens, left_out, markdown, bounds },
    };
  },
});

const parkedRoute = route({
  method: "get",
  path: "/api/parked",
  summary: "What is parked here",
  about: "As `refloat parked --json`: by name, newest first.",
  input: z.strictObject({}),
  answers: "json",
  isWork: false,
  answer: async ({ at }) => {
    const store = await at.findStore();
    const { workspace } = await workspaceHere(at, store);
    const rows = store ? await parkedRows(await parkedInReach(store.raw, workspace)) : [];
    return { command: "parked", json: { workspace: workspace.root, parked: rows.map(parkedJson) } };
  },
});

const worktreesRoute = route({
  method: "get",
  path: "/api/worktrees",
  summary: "The work trees of this repository, and which may go",
  about: "As `refloat worktrees --json`: `removable` only on proof that nothing would be lost.",
  input: z.strictObject({}),
  answers: "json",
  isWork: true,
  answer: async ({ at }) => ({
    command: "worktrees",
    json: { worktrees: await listWorktreesOf(at, "repository"), place: at.place() },
  }),
});

const doctorRoute = route({
  method: "get",
  path: "/api/doctor",
  summary: "What is wrong, each with its command",
  about: "As `refloat doctor --json`. Nothing is mended by it.",
  input: z.strictObject({}),
  answers: "json",
  isWork: true,
  answer: async ({ at, typed }) => {
    const { findings } = await doctor(at, { fixes: false, isStoreNamed: false });
    const typable = findings.map((one) => ({ ...one, command: typed(one.command) }));
    return { command: "doctor", json: { findings: typable } };
  },
});

const storageRoute = route({
  method: "get",
  path: "/api/storage",
  summary: "What the store holds",
  about:
    "As `refloat store info --json`; `would_free`: what `refloat store gc` would drop, as its `--dry-run` says.",
  input: z.strictObject({}),
  answers: "json",
  isWork: false,
  answer: async ({ at }) => {
    const info = await (await at.openStore()).raw.driver.info();
    const { kind, location, engine, sessions, records, contents, contentBytes, bytes } = info;
    const json = { kind, location, engine, sessions, records, contents, content_bytes: contentBytes, bytes };
    const would_free = await wouldDrop(at);
    return { command: "store-info", json: { ...json, cap_bytes: DEFAULT_STORE_CAP_BYTES, would_free } };
  },
});

export const READING_ROUTES: readonly Route[] = [
  homeRoute,
  sessionsRoute,
  sessionRoute,
  recordsRoute,
  rateRoute,
  salvageRoute,
  diffRoute,
  pictureRoute,
  handoffRoute,
  parkedRoute,
  worktreesRoute,
  doctorRoute,
  storageRoute,
];
