import { expect, test } from "vitest";
import { harmlessNote } from "./name-instance-end.ts";

const TOKEN = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;

const told = async (error: string): Promise<string> => {
  const note = await harmlessNote({ kind: "exited", code: 1, error });
  return note?.kind === "exited" ? String(note.error) : "";
};

test("an error that ended a process is told in one harmless line (T3)", async () => {
  expect(await told("Error: \u001b]0;owned\u0007 a\r\nb\u202e")).toBe(
    "Error: \u241b]0;owned\u2407 a b<U+202E>",
  );
});

test("an error that ended a process is told without its secrets, also one at the cut (T4)", async () => {
  for (const before of ["", "x ".repeat(140)]) {
    const text = await told(`Error: ${before}${TOKEN} was refused`);
    expect(text).toContain("Error: ");
    expect(text).not.toContain(TOKEN.slice(0, 12));
  }
});

test("what is no error is left as it is", async () => {
  expect(await harmlessNote(null)).toBeNull();
  expect(await harmlessNote({ kind: "alive" })).toEqual({ kind: "alive" });
});
