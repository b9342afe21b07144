/** An agent that got hold of the token of a person's page, and orders acts by it: `asking-agent.mjs ORIGIN TOKEN SESSION NOTE`. Notes what it was answered. */
import { renameSync, writeFileSync } from "node:fs";

const [, , origin, token, session, note] = process.argv;
const headers = { "x-refloat-token": token, "content-type": "application/json" };
const at = `${origin}/api/sessions/${session}`;
async function order(path, body, where = at) {
  const answer = await fetch(`${where}/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return JSON.parse((await answer.text()).trim().split("\n").at(-1));
}
const { groups } = await (await fetch(`${at}/salvage`, { headers })).json();
const choices = Object.fromEntries(groups.map(({ id }) => [id, "discard"]));
const plan = await order("plan", { choices });
const applied = await order("apply", { choices, digest: plan.digest });
const verified = await order("verify", {});
const agreed = { digest: "0".repeat(64) };
const others = [
  await order("undo", agreed),
  await order("redo", agreed),
  await order("undo", agreed, `${origin}/api`),
  await order("redo", agreed, `${origin}/api`),
  await order("unpark", { ...agreed, name: "nothing" }, `${origin}/api`),
  await order("worktrees/remove", { ...agreed, paths: ["/"] }, `${origin}/api`),
];
writeFileSync(`${note}.new`, JSON.stringify({ plan, applied, verified, others }));
renameSync(`${note}.new`, note);
