/** The disk is full in the middle of an act (D6, S5): nothing is lost, and it is settled when there is room again. */
import { describe, expect, it } from "vitest";
import { onSmallDisk } from "../support/small-disk.ts";

const SCENE = `
import { createHash } from "node:crypto";
import { applyDraft } from "./acts/primitive/apply-draft.js";
import { inverseOf } from "./acts/compilers/undo.js";
import { findPlan, openPlans } from "./acts/plans/plans.js";
import { finishPlans } from "./acts/primitive/finish-plans.js";
import { stateAt } from "./acts/primitive/tree/state-at.js";
import { openWorkspace } from "./workspace/opening/workspace.js";
const root = disk + "/repo";
mkdirSync(root + "/d", { recursive: true });
execFileSync("git", ["init", "-q"], { cwd: root });
// The store is on a disk of its own: a second mount, large enough.
const home = disk + "-home";
const store = await openRawStore(home + "/refloat.db", { thread: false });
const names = Array.from({ length: 150 }, (_, i) => "d/f" + i);
const text = (i) => Buffer.from(("old " + i + "\\n").repeat(200));
names.forEach((name, i) => writeFileSync(root + "/" + name, text(i)));
const tree = () => Object.fromEntries(readdirSync(root + "/d").sort().map((name) => [name, createHash("sha256").update(readFileSync(root + "/d/" + name)).digest("hex")]));
const before = JSON.stringify(tree());
const workspace = openWorkspace(root, { env: process.env });
const puts = [];
for (const [i, path] of names.entries()) {
  const bytes = Buffer.from(("new and much longer " + i + "\\n").repeat(400));
  const { hash } = await store.putContent(bytes);
  puts.push({ path, group: "g", expect: stateAt(Buffer.from(root + "/" + path)).state, put: { kind: "file", mode: 0o644, size: bytes.length, hash } });
}
const env = process.env;
const apply = (draft, more = {}) => applyDraft(store, workspace, { act: "restore", session: null, ...draft }, { env, ...more });
const held = async () => {
  const there = new Set(Object.values(tree()));
  let lost = 0;
  for (const { expect } of puts) if (!there.has(expect.hash) && (await store.driver.readContent(expect.hash)) === null) lost++;
  return lost;
};
`;

describe("a full disk under an act", () => {
  it("T5: refuses beforehand when the new files cannot fit, and changes nothing", () => {
    const said = onSmallDisk(
      "8m",
      `${SCENE}
      fill();
      const outcome = await apply({ puts });
      said.kind = outcome.kind;
      said.code = outcome.error?.code;
      said.isSame = JSON.stringify(tree()) === before;`,
    );
    expect(said).toEqual({ kind: "refused", code: "E_ACT_NO_ROOM", isSame: true });
  });

  it("D6, S5: filled up by somebody in the middle, the act says so, loses no byte, is finished when there is room, and can be undone", () => {
    const said = onSmallDisk(
      "24m",
      `${SCENE}
      let isFilled = false;
      const onProgress = (done) => { if (done === 64 && !isFilled) { isFilled = true; fill(); } };
      said.code = await codeOf(() => apply({ puts }, { onProgress }));
      said.lost = await held();
      said.open = (await openPlans(store, workspace)).length;
      said.stuck = await codeOf(() => finishPlans(store, workspace));
      said.lostAgain = await held();
      free();
      const [settled] = await finishPlans(store, workspace);
      said.outcome = settled.outcome;
      said.isNew = puts.every(({ path, put }) => stateAt(Buffer.from(root + "/" + path)).state.hash === put.hash);
      said.names = readdirSync(root + "/d").length;
      const plan = await findPlan(store, workspace, settled.plan.id);
      said.undo = (await apply({ act: "undo", undoes: plan.id, ...inverseOf(plan) })).kind;
      said.isSame = JSON.stringify(tree()) === before;`,
    );
    expect(said).toEqual({
      code: "E_ACT_BROKEN_OFF",
      lost: 0,
      open: 1,
      stuck: "E_ACT_BROKEN_OFF",
      lostAgain: 0,
      outcome: "done",
      isNew: true,
      names: 150,
      undo: "done",
      isSame: true,
    });
  });
});
