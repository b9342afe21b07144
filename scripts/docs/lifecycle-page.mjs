// docs/lifecycle.md: the states, what can happen, the diagram and the table, made by going through every life there
// can be from the beginning on (session-life.mjs).
import { CAUSE_WORDS, CAUSES } from "../../dist/model/causes.js";
import { DIRTY_ENDS_TO_SUSPEND } from "../../dist/session/escalation.js";
import { nameOf, SESSION_STATES } from "../../dist/session/state.js";
import { EVENT_WORDS, EVENTS, transition, UNBORN } from "./session-life.mjs";

const STATE_WORDS = {
  live: "its owner is alive, or cannot be proved dead (K2), or the agent it watched over still lives",
  idle: "the owner is gone and nothing was open: nothing was cut off (L5)",
  interrupted: "the owner is gone and a turn, call or message was open, or the last turn was cut off (L1)",
  suspended: "it died too often without getting anything done, or somebody said so; beats interrupted (L4)",
  finished: "it ended by its own word, or by `stop`",
};

/** Every life that can be reached, and every step between two of them. */
function reachable() {
  const first = transition(UNBORN, "taken");
  const key = (life) => JSON.stringify(life);
  const seen = new Map([[key(first), first]]);
  const steps = [];
  for (const life of seen.values()) {
    for (const event of EVENTS) {
      const next = transition(life, event);
      if (!seen.has(key(next))) seen.set(key(next), next);
      if (key(next) !== key(life)) steps.push({ from: nameOf(life), event, to: nameOf(next) });
    }
  }
  return steps;
}

function byArrow(steps) {
  const arrows = new Map();
  for (const { from, event, to } of steps) {
    if (from === to) continue;
    const arrow = `${from} --> ${to}`;
    arrows.set(arrow, new Set([...(arrows.get(arrow) ?? []), event]));
  }
  return [...arrows].map(
    ([arrow, events]) => `    ${arrow}: ${EVENTS.filter((e) => events.has(e)).join(", ")}`,
  );
}

function cell(steps, state, event) {
  const to = new Set(
    steps.filter((step) => step.from === state && step.event === event).map((step) => step.to),
  );
  return SESSION_STATES.filter((name) => to.has(name)).join(" or ");
}

export async function lifecyclePage() {
  const steps = reachable();
  return `# The life of a session

This page is made from \`src/session/state.ts\` and \`scripts/docs/session-life.mjs\` by \`npm run docs\`: the tables and the picture go through every life
there can be. What recovery does with a dead one: [recovery.md](recovery.md).

## States

| state | when |
|---|---|
${SESSION_STATES.map((state) => `| \`${state}\` | ${STATE_WORDS[state]} |`).join("\n")}

Beside the state, a session may be **unsettled**: it left changes that nobody committed, parked, discarded or left on
purpose. A session that ended cleanly with changes in the tree is \`finished\` and unsettled, and stays their owner
(L6). A live one is \`supervised\` unless its supervisor was killed while its agent went on.

## What can happen

| event | what it is |
|---|---|
${EVENTS.map((event) => `| ${event} | ${EVENT_WORDS[event]} |`).join("\n")}

## The picture

\`\`\`mermaid
stateDiagram-v2
    [*] --> live: taken
${byArrow(steps).join("\n")}
\`\`\`

## The table

Where an event leads from each state; empty: it changes nothing there. Two names: what lies beneath decides. A session
suspended while it lives stays \`live\` until its owner is gone; lifted, it is what it was before.

| | ${EVENTS.join(" | ")} |
|---|${EVENTS.map(() => "---").join("|")}|
${SESSION_STATES.map((state) => `| **${state}** | ${EVENTS.map((event) => cell(steps, state, event)).join(" | ")} |`).join("\n")}

## Causes

How an attempt ended. Each needs evidence; without any it is \`unknown\`.

| cause | what people are told |
|---|---|
${CAUSES.map((cause) => `| \`${cause}\` | ${CAUSE_WORDS[cause]} |`).join("\n")}

## Escalation (L2)

A dirty end is counted when it is found. The count is that of the ends since anything last got done: a completed turn,
a finished call that is not the same call again, a new commit, a capture that differs from the last attempt's. It belongs
to the call that was open, by its tool and input: dying in another call begins at one. \`limit\` never counts, \`timeout\`
only where nothing got done; nor does an end that was asked for: a Ctrl-C, or a signal that the agent heard and ended by
itself; nor one whose owner gave the session back by its own word (\`release\`). At ${DIRTY_ENDS_TO_SUSPEND} the session is suspended: history intact, nothing resumes it by itself, \`refloat lift\`
ends that. The count goes over to the session that takes the work up.

There is one count (\`src/conversation/dirty-end.ts\`), for whoever records an end and for whoever only shows it: \`run\`, recovery, a gateway,
\`store.begin\`, the screens. A program that begins its session anew after each death escalates, too: at the end that would be the
third, \`begin\` recovers the session first, with the capture that may yet show progress, and throws \`Suspended\` where it did not
([library.md](library.md#hold-back-one-that-dies-again-and-again)). Pure: \`src/session/escalation.ts\`,
\`src/session/progress.ts\`.
`;
}
