// The victim of the kill sweep: does one thing to a prepared world with the built files, says when it begins, how far
// it is and when it is done, and then waits to be killed. Orders come as JSON in argv.
import { readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { compileRedo, compileUndo, inverseOf } from "../../dist/acts/compilers/undo.js";
import { historyOf } from "../../dist/acts/plans/history.js";
import { findPlan, plansOf } from "../../dist/acts/plans/plans.js";
import { applyDraft } from "../../dist/acts/primitive/apply-draft.js";
import { finishPlans } from "../../dist/acts/primitive/finish-plans.js";
import { openRawStore } from "../../dist/store/open-raw-store.js";
import { takeCapture } from "../../dist/workspace/captures/take-capture.js";
import { openWorkspace } from "../../dist/workspace/opening/workspace.js";

const orders = JSON.parse(process.argv[2]);
const say = (line) => writeSync(1, `${JSON.stringify(line)}\n`);
const env = process.env;
const store = await openRawStore(join(orders.base, "refloat.db"), { thread: false });
const workspace = openWorkspace(join(orders.base, "repo"), { env });

async function draftOf({ draft, undoes, takes }) {
  if (takes) {
    const plans = [];
    for await (const plan of plansOf(store, workspace)) plans.push(plan);
    const history = historyOf(plans);
    return (takes === "undo" ? compileUndo(history, null) : compileRedo(history)).draft;
  }
  if (undoes) {
    const plan = await findPlan(store, workspace, undoes);
    return { act: "undo", session: null, undoes, ...inverseOf(plan) };
  }
  return JSON.parse(readFileSync(join(orders.base, `${draft}.json`), "utf8"));
}

let isSpoilt = false;
function onProgress(done) {
  if (done % 25 === 0 || done === 1) say({ k: "progress", done });
  if (orders.spoil === undefined || isSpoilt || done !== 1) return;
  isSpoilt = true;
  writeFileSync(join(orders.base, "repo", orders.spoil.path), orders.spoil.text);
}

say({ k: "begin" });
switch (orders.job) {
  case "capture": {
    const taken = await takeCapture(store, workspace, { env, session: orders.session, reason: "manual" });
    say({ k: "ack", capture: taken.id });
    break;
  }
  case "settle": {
    const settled = await finishPlans(store, workspace);
    say({ k: "ack", settled: settled.length });
    break;
  }
  default: {
    const outcome = await applyDraft(store, workspace, await draftOf(orders), { env, onProgress });
    if (outcome.kind === "refused")
      say({ k: "refused", code: outcome.error.code, why: outcome.error.message });
    else say({ k: "ack", outcome: outcome.kind, plan: outcome.plan ?? null, untouched: outcome.untouched });
  }
}
await store.close();
if (orders.waits) setInterval(() => undefined, 1000);
