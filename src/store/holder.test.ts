/** Of a dead gateway's many conversations one question about its process. */
import { expect, test } from "vitest";
import type { Liveness, Owner } from "../model/owner.ts";
import { askedOnce } from "./holder.ts";

const OWNER: Owner = {
  ...{ host: "h", boot: "b", pid_namespace: "n", pid: 7, started: 1 },
  ...{ instance: "one", label: "gateway" },
};

test("K2: in one look each process is asked about once, and a pid alone is no process", () => {
  const asked: Owner[] = [];
  const dead: Liveness = { kind: "dead", because: "no-such-process" };
  const ask = askedOnce((owner) => {
    asked.push(owner);
    return owner.started === 1 ? dead : { kind: "alive" };
  });
  expect(ask(OWNER)).toEqual(dead);
  expect(ask({ ...OWNER, instance: "two" })).toEqual(dead);
  expect(ask({ ...OWNER, started: 2 })).toEqual({ kind: "alive" });
  expect(ask({ ...OWNER, boot: "other" })).toEqual(dead);
  expect(asked).toHaveLength(3);
});
