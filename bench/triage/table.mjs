// The figures as a table for people.
import { totalOf } from "./score.mjs";

export function printTable(rows, title = "") {
  if (title !== "") console.log(`\n${title}`);
  const width = Math.max(...rows.map(({ kind }) => kind.length));
  console.log(
    `${"kind".padEnd(width)}  ${"agent".padEnd(12)} ${"level".padEnd(10)} groups   safe  risky unknown`,
  );
  for (const row of rows) {
    const numbers = [totalOf(row), row.safe, row.risky, row.unknown]
      .map((number) => String(number).padStart(6))
      .join(" ");
    console.log(`${row.kind.padEnd(width)}  ${row.agent.padEnd(12)} ${row.level.padEnd(10)} ${numbers}`);
  }
}

export function printMissed(missed) {
  for (const sentence of missed) console.log(`MISSED: ${sentence}`);
  if (missed.length === 0) console.log("Every goal is met.");
}
