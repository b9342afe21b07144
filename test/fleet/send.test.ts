/** One session goes whole to another machine, without a server between them, and is live on one side (W8, K1; docs/decisions/0027). */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStore } from "../../src/app/store/open-store.ts";
import { decideNamed, transferFiles } from "../../src/app/transfer/transfer-files.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { AGENT, broken, diedOn, STATUS as LEFT, seenBy, statusOf as statusOn } from "./death.ts";
import { startHost } from "./host.ts";
import { leftOn, network, STATUS, sessionAt, statusOf } from "./sending.ts";

const SECONDS = 1000;

describe("a session that is sent by ssh", () => {
  it(
    "is whole there, with its commits, its tree and its brief, and here nobody writes to it any more; sent back it goes on here (W8, K1)",
    async () => {
      const net = network();
      const [here, there] = [net.machine("here"), net.machine("there")];
      const { origin, work, session, head } = await leftOn(here);
      const at = { cwd: work };
      const clone = join(there.home, "app");
      there.git(there.home, "clone", "-q", origin, clone);
      const sent = await here.json(["send", session, "ssh://there/~/app"], at);
      expect(sent.json, JSON.stringify(sent.json)).toMatchObject({
        session,
        to: "ssh://there/~/app",
        done: true,
      });
      expect(sent.json.left_behind).toMatchObject({ paths: [], commits: null });
      const [mine, theirs] = [await sessionAt(here, session), await sessionAt(there, session)];
      expect([mine?.isLive, theirs?.isLive]).toEqual([false, true]);
      expect(theirs?.records.slice(0, -1), "every record as it was").toEqual(mine?.records);
      expect(theirs?.records.at(-1)?.kind).toBe("session.received");
      for (const words of [
        ["resume", session],
        ["resume", session, "--print"],
        ["stop", session],
        ["lift", session],
      ])
        expect((await here.json(words, at)).json.code, words.join(" ")).toBe("E_SENT");
      expect((await here.json(["show", session], at)).json.session).toMatchObject({
        sent_to: "ssh://there/~/app",
        state: "suspended",
      });
      expect(
        (await here.json(["resume", "--all", "--print"], at)).json.code,
        "nobody resumes it by itself",
      ).toBe("E_RESUME_NONE");
      expect((await there.json(["store", "check"])).json.ok).toBe(true);
      expect((await here.json(["store", "check"])).json.ok).toBe(true);
      const restored = join(there.home, "restored");
      await there.refloat(["restore", session, "--to", restored, "--yes"], { cwd: clone });
      expect(readFileSync(join(restored, "a.txt"), "utf8")).toBe("one\ntwo\n");
      expect(readFileSync(join(restored, "large.txt"), "utf8")).toHaveLength(300_000);
      expect((await there.refloat(["handoff", session], { cwd: clone })).stdout).toContain("new.txt");
      const bundles = theirs?.records.filter(({ body }) => body.includes(`"head":"${head}"`)) ?? [];
      expect(bundles.length, "its commits are kept, though the store is the machine's own").toBeGreaterThan(
        0,
      );
      expect(statusOf(here, work), "here its files are as they were").toEqual(STATUS);
      const back = await there.json(["send", session, "ssh://here/~/work"], { cwd: clone });
      expect(back.json, JSON.stringify(back.json)).toMatchObject({ done: true });
      expect([(await sessionAt(here, session))?.isLive, (await sessionAt(there, session))?.isLive]).toEqual([
        true,
        false,
      ]);
      expect((await here.json(["show", session], at)).json.session.state).toBe("interrupted");
    },
    120 * SECONDS,
  );

  it(
    "stays where it was when nobody answers there, when it lives, or when the store there has gone on otherwise (K1)",
    async () => {
      const net = network();
      const [here, there] = [net.machine("here"), net.machine("there")];
      const { work, session } = await leftOn(here);
      const at = { cwd: work };
      expect((await here.json(["send", session, "ssh://nowhere/x"], at)).json).toMatchObject({
        code: "E_SEND_SSH",
        message: expect.stringContaining("Could not resolve"),
      });
      expect((await here.json(["send", session, "ssh://there/missing"], at)).json.code).toBe("E_SEND_THERE");
      expect((await here.json(["send", session, "ssh://-oProxyCommand=x/y"], at)).json.code).toBe("E_USAGE");
      expect(
        (await here.json(["send", session, "ssh://here/~/work"], at)).json.code,
        "it is the same store",
      ).toBe("E_SEND_SAME");
      expect((await sessionAt(here, session))?.isLive).toBe(true);
      const file = join(here.home, "copy.jsonl");
      await here.refloat(["store", "export", session, "--raw", "-o", file], at);
      await there.refloat(["store", "import", file]);
      await there.refloat(["suspend", session, "--reason", "somebody went on with a copy"]);
      expect((await here.json(["send", session, "ssh://there"], at)).json).toMatchObject({
        code: "E_SEND_THERE",
        message: expect.stringContaining("E_SEND_DIVERGED"),
      });
      expect((await sessionAt(here, session))?.isLive).toBe(true);
      expect(readdirSync(join(there.home, "refloat/transfers")), "and nothing lies about there").toEqual([]);
    },
    120 * SECONDS,
  );

  it(
    "that was killed after it was fenced here is taken back by `resume` when the other side agrees, and never when it is live there (K1)",
    async () => {
      const net = network();
      const [here, there] = [net.machine("here"), net.machine("there")];
      const { work, session } = await leftOn(here);
      const at = { cwd: work };
      const killed = { ...at, env: { REFLOAT_CRASH_AT: "send.after-fence" } };
      expect((await here.refloat(["send", session, "ssh://there"], killed)).signal).toBe("SIGKILL");
      net.cut("there");
      expect(
        (await here.json(["resume", session, "--agent", "true"], at)).json.code,
        "nobody can be asked",
      ).toBe("E_SEND_OPEN");
      expect((await sessionAt(here, session))?.isLive).toBe(false);
      net.heal("there");
      const ran = await here.refloat(["resume", session, "--yes"], {
        ...at,
        env: { PATH: `${here.home}/bin:/usr/bin:/bin` },
      });
      expect(ran.stderr).toContain("never arrived: it goes on here");
      expect([(await sessionAt(here, session))?.isLive, await sessionAt(there, session)]).toEqual([
        true,
        null,
      ]);
      const again = { ...at, env: { REFLOAT_CRASH_AT: "send.before-confirmed" } };
      await here.refloat(["send", session, "ssh://there"], again);
      expect((await here.json(["resume", session], at)).json.code).toBe("E_SENT");
      expect((await here.json(["send", session, "--take-back"], at)).json.code).toBe("E_SEND_ARRIVED");
      expect([(await sessionAt(here, session))?.isLive, (await sessionAt(there, session))?.isLive]).toEqual([
        false,
        true,
      ]);
      const gone = await here.json(["send", session, "--take-back", "--gone", "the disk died"], at);
      expect(gone.json, "by the user's word alone").toMatchObject({
        taken_back: true,
        reason: "the disk died",
      });
      expect((await sessionAt(here, session))?.isLive).toBe(true);
    },
    120 * SECONDS,
  );
});

describe("a session that is under way by ssh", () => {
  it(
    "is neither finished nor called off by another store that answers there, and is asked for as refloat was called (K1)",
    async () => {
      const net = network();
      const [here, there] = [net.machine("here"), net.machine("there")];
      const { work, session } = await leftOn(here);
      const at = { cwd: work };
      const killed = { ...at, env: { REFLOAT_CRASH_AT: "send.after-fence" } };
      const words = ["send", session, "ssh://there"];
      const program = "env REFLOAT_HOME=$HOME/second refloat";
      expect((await here.refloat([...words, "--program", program], killed)).signal).toBe("SIGKILL");
      const other = ["--program", "env REFLOAT_HOME=$HOME/third refloat"];
      for (const asked of [
        ["send", session, "--take-back", ...other],
        [...words, ...other],
      ])
        expect((await here.json(asked, at)).json.code, asked.join(" ")).toBe("E_SEND_STORE");
      expect([(await sessionAt(here, session))?.isLive, await sessionAt(there, session)]).toEqual([
        false,
        null,
      ]);
      const back = await here.json(["send", session, "--take-back"], at);
      expect(back.json, JSON.stringify(back.json)).toMatchObject({ taken_back: true });
    },
    120 * SECONDS,
  );
});

describe("a session that is sent in a file", () => {
  it(
    "brings along what is parked of it, which is brought back there with every byte (W8)",
    async () => {
      const net = network();
      const [here, there] = [net.machine("here"), net.machine("there")];
      const { origin, work, session, head } = await leftOn(here);
      const at = { cwd: work };
      const parked = await here.json(["park", session, "new.txt", "large.txt", "--yes"], at);
      expect(parked.json.done, JSON.stringify(parked.json)).toBe(true);
      expect(statusOf(here, work)).toEqual([" D gone.txt", " M a.txt"]);
      const file = join(here.home, "sent");
      await here.refloat(["send", session, file], at);
      await there.refloat(["store", "import", file]);
      const clone = join(there.home, "app");
      there.git(there.home, "clone", "-q", origin, clone);
      there.git(clone, "fetch", "-q", work, "topic:topic");
      there.git(clone, "checkout", "-q", "topic");
      expect(there.git(clone, "rev-parse", "HEAD")).toBe(head);
      const list = (await there.json(["parked"], { cwd: clone })).json.parked;
      expect(list).toMatchObject([
        { session, from: work, paths: [{ path: "large.txt" }] },
        { session, from: work, paths: [{ path: "new.txt" }] },
      ]);
      for (const { name } of list) {
        const ran = await there.refloat(["unpark", name, "--yes"], { cwd: clone });
        expect(ran.code, ran.stderr).toBe(0);
      }
      expect(statusOf(there, clone)).toEqual(["?? large.txt", "?? new.txt"]);
      expect(readFileSync(join(clone, "large.txt"), "utf8")).toBe("x".repeat(300_000));
      expect((await there.json(["parked"], { cwd: clone })).json.parked, "and it is parked no more").toEqual(
        [],
      );
      expect((await there.json(["prove"], { cwd: clone })).code).toBe(0);
    },
    120 * SECONDS,
  );

  it(
    "keeps what came parked with it until it is brought back: neither age nor an unforced delete takes it (W8, D2)",
    async () => {
      const net = network();
      const [here, there] = [net.machine("here"), net.machine("there")];
      const { origin, work, session } = await leftOn(here, "seq 30000 > parked.txt");
      await here.refloat(["park", session, "--all", "--yes"], { cwd: work });
      const file = join(here.home, "sent");
      await here.refloat(["send", session, file], { cwd: work });
      await there.refloat(["store", "import", file]);
      const clone = join(there.home, "app");
      there.git(there.home, "clone", "-q", origin, clone);
      const at = { cwd: clone };
      const store = await openStore(there.store, { thread: false });
      const next = await store.begin({ id: session, agent: "sh", workspace: clone, captures: "off" });
      await next.finish();
      const gc = ["store", "gc", "--older", "0s", "--yes"];
      expect((await there.json(gc, at)).json.older.sessions).toBe(0);
      await expect(store.delete(session)).rejects.toMatchObject({ code: "E_DELETE_REFUSED" });
      await store.close();
      const [group] = (await there.json(["parked"], at)).json.parked;
      expect((await there.json(["unpark", group.name, "--yes"], at)).json).toMatchObject({ done: true });
      expect(readFileSync(join(clone, "parked.txt"), "utf8").split("\n")).toHaveLength(30_001);
      there.git(clone, "add", "-A");
      there.git(clone, "commit", "-qm", "kept by hand");
      expect((await there.json(gc, at)).json.older.sessions, "and then it is like any other").toBe(1);
    },
    120 * SECONDS,
  );

  it(
    "taken back on the user's word gets no name any more, from a send that is about to name it neither (K1); sent when its tree is gone it brings along what is parked of it (W8)",
    async () => {
      const net = network();
      const [here, there] = [net.machine("here"), net.machine("there")];
      const { origin, work, session } = await leftOn(here, "echo new > new.txt; kill -9 $PPID; kill -9 $$");
      const parked = await here.json(["park", session, "new.txt", "--yes"], { cwd: work });
      expect(parked.json.done, JSON.stringify(parked.json)).toBe(true);
      const file = join(here.home, "sent.refloat");
      await here.refloat(["send", session, file], {
        ...{ cwd: work, env: { REFLOAT_CRASH_AT: "send.after-fence" } },
      });
      const files = transferFiles(join(here.home, "refloat"));
      const [open] = readdirSync(files.folder).filter((name) => name.endsWith(".open"));
      const transfer = open?.slice(0, -".open".length) ?? "";
      expect(decideNamed(files, transfer), "the next step of a send").toBe(true);
      const back = await here.json(["send", session, "--take-back", "--gone", "it is lost"], { cwd: work });
      expect(back.json, JSON.stringify(back.json)).toMatchObject({ taken_back: true });
      expect(decideNamed(files, transfer)).toBe(false);
      expect(readdirSync(here.home).filter((name) => name.includes(transfer))).toEqual([]);
      rmSync(work, { recursive: true });
      const sent = await here.json(["send", session, file]);
      expect(sent.json, JSON.stringify(sent.json)).toMatchObject({ done: true, left_behind: { tree: null } });
      const clone = join(there.home, "app");
      there.git(there.home, "clone", "-q", origin, clone);
      await there.json(["store", "import", file]);
      const [group] = (await there.json(["parked"], { cwd: clone })).json.parked;
      const brought = await there.refloat(["unpark", group.name, "--yes"], { cwd: clone });
      expect(brought.code, brought.stderr).toBe(0);
      expect(readFileSync(join(clone, "new.txt"), "utf8")).toBe("new\n");
    },
    120 * SECONDS,
  );

  it(
    "goes on where the file is taken in, once, however often that is; taken back on the user's word, the file is gone (K1, D4)",
    async () => {
      const net = network();
      const [here, there] = [net.machine("here"), net.machine("there")];
      const { origin, work, session } = await leftOn(here);
      const at = { cwd: work };
      const file = join(here.home, "sent.refloat");
      const first = await here.json(["send", session, file], at);
      expect(first.json, JSON.stringify(first.json)).toMatchObject({ done: true, to: file });
      expect(
        (await here.json(["send", session, file], at)).json,
        "the same again finds it done",
      ).toMatchObject({ done: true, finished_earlier: true });
      expect((await here.json(["send", session, join(here.home, "other")], at)).json.code).toBe(
        "E_SEND_ELSEWHERE",
      );
      const back = ["send", session, "--take-back"];
      expect((await here.json(back, at)).json.code, "who took it in left it there").toBe("E_SEND_FILE_WHOLE");
      expect((await here.json([...back, "--gone", "nobody has read it"], at)).json).toMatchObject({
        taken_back: true,
      });
      expect(existsSync(file), "nobody else can take it in").toBe(false);
      expect((await here.json(["send", session, file], at)).json).toMatchObject({ done: true });
      const cutOff = join(here.home, "cut");
      writeFileSync(cutOff, readFileSync(file, "utf8").split("\n").slice(0, -2).join("\n"));
      expect((await there.json(["store", "import", cutOff])).json.code, "without its end it is nothing").toBe(
        "E_IMPORT",
      );
      expect(await sessionAt(there, session)).toBeNull();
      expect((await there.json(["store", "import", file])).json).toMatchObject({
        session,
        received: "taken",
      });
      expect((await there.json(["store", "import", file])).json).toMatchObject({
        received: "repeat",
        records: 0,
      });
      expect([(await sessionAt(here, session))?.isLive, (await sessionAt(there, session))?.isLive]).toEqual([
        false,
        true,
      ]);
      const clone = join(there.home, "app");
      there.git(there.home, "clone", "-q", origin, clone);
      const on = join(there.home, "on");
      expect((await there.json(["send", session, on], { cwd: clone })).json).toMatchObject({ done: true });
      expect(
        (await there.json(["store", "import", file])).json,
        "an old file brings nothing back",
      ).toMatchObject({ received: "repeat" });
      expect((await sessionAt(there, session))?.isLive).toBe(false);
      expect((await here.json(["store", "import", on])).json).toMatchObject({ received: "taken" });
      expect((await sessionAt(here, session))?.isLive).toBe(true);
    },
    120 * SECONDS,
  );

  it(
    "that was moved away before its sender could say that it is done is live where it was taken in, and is not taken back; one that never had its name is (K1)",
    async () => {
      const net = network();
      const [here, there] = [net.machine("here"), net.machine("there")];
      const { work, session } = await leftOn(here);
      const at = { cwd: work };
      const file = join(here.home, "sent");
      const words = ["send", session, file];
      const killed = (point: string) => ({ ...at, env: { REFLOAT_CRASH_AT: point } });
      expect((await here.refloat(words, killed("send.after-fence"))).signal).toBe("SIGKILL");
      expect((await here.json(["send", session, "--take-back"], at)).json).toMatchObject({
        taken_back: true,
      });
      expect((await here.refloat(words, killed("send.before-confirmed"))).signal).toBe("SIGKILL");
      const moved = join(there.home, "moved");
      renameSync(file, moved);
      expect((await there.json(["store", "import", moved])).json).toMatchObject({ received: "taken" });
      expect((await here.json(["send", session, "--take-back"], at)).json.code).toBe("E_SEND_FILE_AWAY");
      expect((await here.json(["resume", session, "--agent", "true"], at)).json.code).toBe("E_SEND_OPEN");
      expect([(await sessionAt(here, session))?.isLive, (await sessionAt(there, session))?.isLive]).toEqual([
        false,
        true,
      ]);
    },
    120 * SECONDS,
  );

  it(
    "that is for one store is taken in by no other, and its file that went away is not taken back by a guess (K1)",
    async () => {
      const net = network();
      const [here, there, other] = [net.machine("here"), net.machine("there"), net.machine("other")];
      const { work, session } = await leftOn(here);
      const at = { cwd: work };
      await there.refloat(["capture"], { cwd: work, env: { REFLOAT_SESSION: "" } });
      const id = (await there.json(["store", "info"])).json.store_id;
      const file = join(here.home, "sent.refloat");
      const killed = { ...at, env: { REFLOAT_CRASH_AT: "send.after-fence" } };
      await here.refloat(["send", session, file, "--for", id], killed);
      expect((await here.json(["send", session, file, "--for", "another"], at)).json.code).toBe("E_USAGE");
      expect((await here.json(["send", session, file], at)).json, "as it was begun").toMatchObject({
        done: true,
      });
      expect((await other.json(["store", "import", file])).json.code).toBe("E_SEND_OTHER");
      expect(await sessionAt(other, session)).toBeNull();
      const moved = join(here.home, "moved");
      writeFileSync(moved, readFileSync(file));
      const { rmSync } = await import("node:fs");
      rmSync(file);
      expect((await here.json(["send", session, "--take-back"], at)).json.code).toBe("E_SEND_FILE_AWAY");
      expect((await here.json(["resume", session], at)).json.code).toBe("E_SENT");
      expect((await there.json(["store", "import", moved])).json).toMatchObject({ received: "taken" });
    },
    120 * SECONDS,
  );

  it(
    "goes on on that machine: in a clone of its repository with commits, branch and tree, as its next try; without a clone it is said how (W8)",
    async () => {
      const { origin, dead, work, session, head } = await diedOn(null, AGENT);
      // Its processes were in a namespace of their own: that they are gone nobody can see (K2).
      await broken(dead, session, work);
      const file = join(temporaryFolder(), "sent");
      const sent = await dead.refloat(["send", session, file], { cwd: work });
      expect(sent.code, sent.stderr).toBe(0);
      const next = startHost("next", null);
      const taken = await next.refloat(["store", "import", file], { cwd: next.disk });
      expect(taken.stdout, taken.stderr).toContain(`refloat resume ${session} --recreate`);
      const without = await next.json(["resume", session, "--recreate", "--yes"], { cwd: next.disk });
      expect(without.json).toMatchObject({
        code: "E_TRAVEL_OTHER",
        hint: expect.stringContaining("--from URL --to DIR"),
      });
      const clone = join(next.disk, "elsewhere");
      next.git(next.disk, "clone", "-q", origin, clone);
      const ran = await next.refloat(["resume", session, "--recreate", "--yes"], { cwd: clone });
      expect(ran.code, ran.stderr).toBe(0);
      expect(seenBy(ran)).toEqual([head, ...LEFT]);
      expect(ran.stderr).toContain("with 2 commits that no remote had");
      expect(next.git(clone, "rev-parse", "topic")).toBe(head);
      expect(statusOn(next, `${clone}-${session.slice(0, 8)}`)).toEqual(LEFT);
    },
    120 * SECONDS,
  );
});
