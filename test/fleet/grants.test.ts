/** What a role of a shared store may do, and what it may not, by the script that `store grants` prints. */
import postgres from "postgres";
import { expect, onTestFinished, test } from "vitest";
import { openStore, type RefloatStore } from "../../src/app/store/open-store.ts";
import { makePlace } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { ANN } from "../support/left-session.ts";
import { startServer } from "../support/postgres.ts";

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    (thrown: { code?: string }) => String(thrown.code),
  );

test("a writer runs sessions whole and can change no record, erase nothing and see no other tenant; a reader only reads (K1, D2)", {
  timeout: 300_000,
}, async () => {
  const server = await startServer();
  onTestFinished(() => server.stop());
  const admin = postgres(server.url, { max: 1, onnotice: () => undefined });
  onTestFinished(() => admin.end());
  const open = async (url: string, schema: string): Promise<RefloatStore> => {
    const store = await openStore(url, { schema });
    onTestFinished(() => store.close());
    return store;
  };
  const place = makePlace();
  for (const schema of ["team_a", "team_b"]) {
    const store = await open(server.url, schema);
    const session = await store.begin({ agent: "t", workspace: "/w", id: `of-${schema}`, captures: "off" });
    await session.finish();
    for (const rights of ["writer", "reader"]) {
      const role = `${schema}_${rights}`;
      await admin.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD 'x'`);
      const address = `${server.url}?schema=${schema}`;
      const { stdout, code } = await place.refloat(["store", "grants", role, "--rights", rights], {
        env: { REFLOAT_STORE: address },
      });
      expect(code).toBe(0);
      await admin.unsafe(stdout).simple();
      // Again: nothing changes, and nothing fails.
      await admin.unsafe(stdout).simple();
    }
  }
  const as = (role: string): string => {
    const url = new URL(server.url);
    [url.username, url.password] = [role, "x"];
    return url.href;
  };

  const writer = await open(as("team_a_writer"), "team_a");
  const session = await writer.begin({ agent: "t", workspace: "/w", id: "whole", captures: "off" });
  const turn = await session.turn("go");
  const call = await turn.call({ id: "c", tool: "x", input: {} });
  await call.result("y".repeat(3_000_000));
  await turn.end("completed");
  // A refused beginning leaves no row behind, and is refused as ever.
  expect(await codeOf(writer.begin({ agent: "t", workspace: "/w", id: "whole", captures: "off" }))).toBe(
    "E_HELD",
  );
  await session.finish();
  expect((await writer.sessions()).map(({ id }) => id).sort()).toEqual(["of-team_a", "whole"]);
  expect(await codeOf(writer.forget({ session: "whole" }))).not.toBe("done");
  // Something has to go, or there is nothing to refuse: it is looked for by reading alone.
  await writer.raw.putContent(Buffer.from("named by nobody"));
  expect(await codeOf(writer.raw.driver.gc(Date.now() + 60_000))).not.toBe("done");

  const sql = postgres(as("team_a_writer"), { max: 1, onnotice: () => undefined });
  onTestFinished(() => sql.end());
  const DENIED = "42501";
  for (const statement of [
    "UPDATE team_a.records SET body = '{}'",
    "DELETE FROM team_a.records",
    "UPDATE team_a.sessions SET attempt = 99",
    "SELECT team_a.forget_1('{}')",
    "SELECT * FROM team_b.records",
    "SELECT team_b.append_2('[]')",
  ])
    expect(await codeOf(sql.unsafe(statement)), statement).toBe(DENIED);

  const reader = await open(as("team_a_reader"), "team_a");
  expect((await reader.sessions()).length).toBe(2);
  expect(await codeOf(reader.begin({ agent: "t", workspace: "/w", captures: "off" }))).not.toBe("done");
  expect((await reader.sessions()).length).toBe(2);

  // All that a host of the fleet does: work is added, done by a worker, and told of.
  const repository = testRepository(place.workspace);
  repository.write("a.txt", "one\n");
  repository.commit("base");
  const env = { ...ANN, REFLOAT_STORE: `${as("team_a_writer")}?schema=team_a` };
  const added = await place.json(["queue", "add", "say hello"], { env });
  expect(added.code, JSON.stringify(added.json)).toBe(0);
  const script = 'echo "$1" > said.txt; git add said.txt; git commit -qm said; echo more > more.txt';
  const words = ["worker", "--until-idle", "--", "sh", "-c", script, "sh", "{prompt}"];
  const worked = await place.refloat(words, { env });
  expect(worked.code, worked.stderr).toBe(0);
  const { items } = (await place.json(["queue", "list", "--all", "--ended"], { env })).json;
  expect(items).toMatchObject([{ state: "done" }]);
  expect((await place.json(["status", "--fleet"], { env })).code).toBe(0);
  const forbidden = { ...env, REFLOAT_STORE: `${as("team_a_reader")}?schema=team_a` };
  expect((await place.json(["queue", "add", "x"], { env: forbidden })).code).not.toBe(0);
});

test("for a store in a file there are no roles: that is said with what protects it, and nothing is printed to be run", async () => {
  const { code, json } = await makePlace().json(["store", "grants", "agents"]);
  expect([code, json.code]).toEqual([1, "E_UNSUPPORTED"]);
});
