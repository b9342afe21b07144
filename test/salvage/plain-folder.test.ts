/** A plain folder without git has verdicts like any other place, and every face tells the same ones (S7, L6). */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type JsonObject, makePlace, type Place } from "../support/cli.ts";

const write = (place: Place, name: string, text: string): void =>
  writeFileSync(join(place.workspace, name), text);

function folder(): Place {
  const place = makePlace();
  write(place, "data.json", "{}\n");
  write(place, "gone.txt", "one\n");
  write(place, "kept.txt", "kept\n");
  return place;
}

/** The agent breaks one file, deletes another, makes a third, and dies by SIGKILL; with its supervisor, if told to. */
const dies = (place: Place, withSupervisor: boolean): Promise<unknown> => {
  const script = `printf '{"half": ' > data.json; rm gone.txt; echo new > new.txt; sleep 1; ${withSupervisor ? "kill -9 $PPID; " : ""}kill -9 $$`;
  return place.refloat(["run", "--", "sh", "-c", script]);
};

const verdicts = ({ groups }: JsonObject): Record<string, string> =>
  Object.fromEntries(
    groups.flatMap(({ verdict, changes }: JsonObject) =>
      changes.map(({ path, owner }: JsonObject) => [path, `${owner} ${verdict}`]),
    ),
  );

describe.each([
  ["by the supervisor that outlived it", false],
  ["by nobody: its supervisor died with it", true],
])("a plain folder that a killed agent left broken, seen %s", { timeout: 60_000 }, (_, withSupervisor) => {
  it("is unsettled and risky in status, sessions, handoff and inspect alike, what it deleted included, until it is put back (S7, L6)", async () => {
    const place = folder();
    await dies(place, withSupervisor);
    const { json: inspected } = await place.json(["inspect"]);
    expect(verdicts(inspected)).toMatchObject({ "data.json": "session risky", "gone.txt": "session risky" });
    expect(inspected.session).toMatchObject({ state: "interrupted", unsettled: true });
    const { json: status } = await place.json(["status"]);
    expect(status.counts).toMatchObject({ interrupted: 1, unsettled: 1 });
    expect(verdicts(status)).toEqual(verdicts(inspected));
    expect(status.not_judged).toEqual([]);
    expect((await place.json(["sessions"])).json.sessions[0]).toMatchObject({ unsettled: true });
    expect((await place.json(["handoff"])).json.verdicts).toMatchObject({ safe: 0 });
    expect((await place.refloat(["status", "--exit-code"])).code).toBe(3);
    await place.json(["discard", "--all", "--yes"]);
    expect(readFileSync(join(place.workspace, "data.json"), "utf8")).toBe("{}\n");
    expect(readFileSync(join(place.workspace, "gone.txt"), "utf8")).toBe("one\n");
    expect(existsSync(join(place.workspace, "new.txt"))).toBe(false);
    expect((await place.json(["status"])).json.counts.unsettled).toBe(0);
  });
});

describe("a plain folder", { timeout: 60_000 }, () => {
  it("in which an agent changed nothing is settled, and so is what somebody left on purpose (DESIGN 15)", async () => {
    const place = folder();
    await place.refloat(["run", "--", "true"]);
    expect((await place.json(["status"])).json.counts.unsettled).toBe(0);
    await place.refloat(["run", "--", "sh", "-c", "rm gone.txt"]);
    const { json } = await place.json(["status"]);
    expect(json.counts.unsettled).toBe(1);
    const [{ id }] = json.groups;
    await place.json(["settle", "--policy", "leave", "--group", id, "--yes"]);
    expect((await place.json(["status"])).json.counts.unsettled).toBe(0);
  });
});
