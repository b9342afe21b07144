/** What the demo looks for after the kill: each finding is a promise, whether it was kept, and what was seen. */

import { checkedExport, lateWrite } from "../../../app/sessions/promises-kept.ts";
import type { RefloatStore } from "../../../app/store/open-store.ts";
import type { Session } from "../../../conversation/session.ts";
import type { RecordId, SessionId } from "../../../model/ids.ts";
import { isText } from "../../../model/parts.ts";
import type { View, ViewCall, ViewMessage } from "../../../model/view.ts";
import { livenessOf } from "../../../platform/liveness.ts";
import { count, oneLine, ordinal } from "../../screen/words.ts";
import { DEMO } from "./script.ts";
import type { KeptPromise, Victim } from "./victim.ts";

export interface DemoFinding {
  readonly promise: string;
  readonly isKept: boolean;
  readonly seen: readonly string[];
}

const ID = DEMO.session as SessionId;

export async function ownerIsDead(store: RefloatStore, victim: Victim): Promise<DemoFinding> {
  const row = await store.raw.session(ID);
  const owner = row?.claim.owner ?? null;
  const liveness = owner && livenessOf(owner);
  return {
    promise: "The process is dead, and that is proved: nobody has to wait for a timeout.",
    isKept: owner?.pid === victim.pid && liveness?.kind === "dead",
    seen: [`the claim is still in its name: ${owner?.label}, pid ${owner?.pid}: ${liveness?.kind}`],
  };
}

/** Every line the dead process printed came after a promise that something is on disk (D1, C1, C2, C3). */
export async function nothingIsLost(store: RefloatStore, { promises }: Victim): Promise<DemoFinding> {
  const found: boolean[] = [];
  for (const one of promises) found.push(await isOnDisk(store, one));
  const whole = found.filter((isThere) => isThere).length;
  return {
    promise: "Nothing acknowledged is lost.",
    isKept: promises.length > 0 && whole === promises.length,
    seen: [`${whole} of the ${promises.length} writes it had been promised are on disk`],
  };
}

async function isOnDisk(store: RefloatStore, { kept, value }: KeptPromise): Promise<boolean> {
  const has = async (id: string): Promise<boolean> =>
    (await store.raw.recordById(ID, id as RecordId))?.isDamaged === false;
  switch (kept) {
    case "attempt":
      return (await store.raw.session(ID))?.claim.attempt === value;
    case "turn":
      return has(`turn:${value}`);
    case "call":
      return has(`call:${value}`);
    case "result":
      return has(`result:${value}`);
    case "input":
      return has(`input:${value}`);
    case "answer":
    case "progress":
      return (await streamedTexts(store)).some((text) => text.startsWith(String(value)));
    default:
      return false;
  }
}

async function streamedTexts(store: RefloatStore): Promise<string[]> {
  const texts = new Map<string, string>();
  for await (const { kind, body } of store.raw.journal(ID)) {
    if (kind !== "message.grew" && kind !== "message.ended") continue;
    const parts = Array.isArray(body.parts) ? (body.parts as { text?: string }[]) : [];
    const added = parts.map((part) => part.text ?? "").join("");
    texts.set(String(body.message), (texts.get(String(body.message)) ?? "") + added);
  }
  return [...texts.values()];
}

export function nextOwnerHasIt(session: Session): DemoFinding {
  const { attempt, recovered } = session;
  return {
    promise: `The next owner has the session at once, as its ${ordinal(attempt)} try.`,
    isKept: attempt === 2 && recovered !== null,
    seen: [
      `found open: ${count(recovered?.turns.length ?? 0, "turn")}, ${count(recovered?.calls.length ?? 0, "call")}, ${count(recovered?.messages.length ?? 0, "message")}`,
    ],
  };
}

export function streamIsKept(view: View, { promises }: Victim): DemoFinding {
  const cut = view.items.find(
    (item): item is ViewMessage => item.kind === "message" && item.state === "cut-off",
  );
  const text = cut?.parts.map((part) => (isText(part) ? part.text : "")).join("") ?? "";
  const promised = String(promises.findLast(({ kept }) => kept === "progress")?.value ?? "");
  return {
    promise: "What it was saying is kept up to the cut, and marked as cut off.",
    isKept: promised !== "" && text.startsWith(promised),
    seen: [`"${oneLine(text)}"`],
  };
}

export function callIsClosed(view: View): DemoFinding {
  const calls = view.items.filter((item): item is ViewCall => item.kind === "call");
  const deploy = calls.find(({ tool }) => tool === DEMO.deploy.tool);
  const others = calls.filter((call) => call !== deploy);
  const isSettled = deploy?.result?.status === "unknown-outcome" && deploy.result.isSynthetic;
  return {
    promise: "The call it died in may have happened: that is said, and it is not run again.",
    isKept: isSettled === true && others.every(({ result }) => result?.status === "done"),
    seen: [
      ...others.map(({ tool, result }) => `${tool}: ${result?.status}`),
      `${DEMO.deploy.tool}: ${oneLine(String(deploy?.result?.output))}`,
    ],
  };
}

export async function inputStillWaits(session: Session): Promise<DemoFinding> {
  const queue = await session.queue();
  const texts = queue.flatMap(({ parts }) => parts.map((part) => (isText(part) ? part.text : "")));
  return {
    promise: "The input that was waiting still waits.",
    isKept: texts.length === 1 && texts[0] === DEMO.queued,
    seen: texts.map((text) => `"${oneLine(text)}"`),
  };
}

/** The dead process's number, used after its death: what a process that only seemed dead would do (K1). */
export async function lateWriteIsRefused(store: RefloatStore): Promise<DemoFinding> {
  const code = (await lateWrite(store, ID, 1)) ?? "it was accepted";
  return {
    promise: "Were the 1st try to wake up and write, the store would refuse it.",
    isKept: code === "E_FENCED",
    seen: [code],
  };
}

export function exportIsValid(session: Session): DemoFinding {
  const { messages, rejections } = checkedExport(session);
  return {
    promise: "The conversation can be sent on: each call has its result.",
    isKept: rejections.length === 0,
    seen:
      rejections.length === 0
        ? [`as Anthropic's API takes it: ${messages} messages, nothing to object to`]
        : rejections.map(({ rule, where }) => `${where}: ${rule}`),
  };
}
