/** The brief of a tree that somebody changed where no session was recorded (S1): what git, the journals and the plans tell. */
import type { SessionBrief } from "../../../app/handoff/session-brief.ts";
import { salvageOf } from "../../../app/salvage/salvage-of.ts";
import { chooseSession } from "../../../app/sessions/choose-session.ts";
import { gatherFacts, redactFacts } from "../../../handoff/gather-facts.ts";
import { manifestOf } from "../../../salvage/manifest/manifest.ts";
import { impliedSession } from "../../../salvage/story/session-story.ts";
import type { Context } from "../../context/context.ts";

/** Null: there is nothing to tell. */
export async function impliedBrief(context: Context): Promise<SessionBrief | null> {
  const { store, here, rows } = await chooseSession(context, null);
  const { workspace, env } = here;
  const { clock, out } = context;
  const work = { store, workspace, rows, row: null, summary: null, env, clock, home: await context.home() };
  const { found } = await salvageOf(work, { check: null, toleratesConfig: true });
  const salvaged = await manifestOf(found);
  const manifest = { ...salvaged, next: salvaged.next.map(out.typed) };
  const summary = impliedSession(workspace.root);
  const sources = { store: store?.raw ?? null, row: null, summary, workspace, manifest, typed: out.typed };
  const facts = await gatherFacts(sources);
  const isEmpty = manifest.groups.length + manifest.gaps.length + facts.done.length === 0;
  return isEmpty ? null : { workspace, found, manifest, facts: await redactFacts(facts) };
}
