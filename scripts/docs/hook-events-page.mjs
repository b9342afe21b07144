// docs/hook-events.md: what becomes of an event of each agent's hooks, from their tables.
import { AGENTS } from "../../dist/agents/registry.js";
import { BECOMES } from "../../dist/agents/words/hook-rows.js";

const cell = (text) => text.replaceAll("|", "\\|").replaceAll("\n", " ");

const HEAD = `# What events become

Made from the tables in the code (\`src/agents/*/hooks.ts\`) by \`npm run docs\`. How an event comes into the inbox is in [hooks.md](hooks.md).

An agent's hook leaves one file for each event in the inbox. The next command that looks at a workspace takes in everything that waits, of
every workspace, each file once: its name is the id of its record (\`agent.observed\`), and the file goes when that is durable. An observation
claims nothing and renews nothing, so no live session is fenced off by it (K1); all of it is the agent's own word (T2).

## Whose it is
1. The session whose mark (\`REFLOAT_SESSION\`) the hook was called under.
2. The sessions that are known by the agent's own id, supervised or not.
3. Else a session that nobody supervised (\`supervised: false\`), begun with its first prompt or call. A program that was only opened is none.

A call belongs to the workspace of the event's own folder (a work tree, a folder the agent has changed to, a subagent's); everything else to
all sessions of that conversation. What happens in a repository that is left alone (\`ignore\`) is dropped; with \`REFLOAT_OFF=1\` nothing is taken in.

## What comes of it
The transcript remains the conversation. When the agent is over, what it lacks is taken from the events: a call that began and never ended, a
result that was lost, a prompt, the end record of the turn (L7). The same call told by both is one call: by the agent's id, and where its
hooks give none by tool, input and order. An end record counts for the turn whose prompt, calls and last words it knows, and for no other.

Whether the agent lives is told by the process that stood above the hook: boot, pid namespace, pid and start (K2). Gone: the session is
interrupted. Another boot: cause \`reboot\`. Its own word that it ended, in the middle of a turn: cause \`signal\`. A namespace that is not ours:
\`live\`, no cause, never a guess.

\`refloat op\`, \`decide\` and \`step\` in a sandbox whose store cannot be written print a text marker. It is taken in as that operation, decision or
step ([hooks.md](hooks.md#from-inside-a-sandbox)) where it is the very line that the call's own command prints; a marker in any other output is nothing (T3).

Where a capture was taken before a call that may destroy, \`inspect\` and \`why\` name it with the call, or say \`no before-image\` and why. A
session says in \`seen_by\` how it is seen: \`supervised\`, \`hooks\`, \`transcript\`.
`;

export async function hookEventsPage() {
  const hooked = AGENTS.filter(({ hooks }) => hooks !== null);
  const tables = hooked.map(({ title, hooks }) => {
    const rows = hooks.events.map(
      ({ name, moment, asked, trap }) =>
        `| \`${name}\` | ${asked === false ? "no" : "yes"} | ${cell(BECOMES[moment])} | ${cell(trap ?? "")} |`,
    );
    const head = ["| event | asked for | becomes | trap |", "|---|---|---|---|"];
    return [`## ${title}`, ...head, ...rows, ""].join("\n");
  });
  return `${HEAD}\n${tables.join("\n")}`;
}
