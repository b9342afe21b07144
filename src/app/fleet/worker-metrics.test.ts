/** How many run is told by who they are, however their ends are told. */
import { expect, it } from "vitest";
import type { SessionId } from "../../model/ids.ts";
import type { AppPlace } from "../place/app-place.ts";
import { WorkerMetrics } from "./worker-metrics.ts";

it("a session that ended twice, or in trouble, runs no more, and takes no other one's place", async () => {
  const metrics = new WorkerMetrics({ findStore: async () => null } as unknown as AppPlace);
  const [a, b, c] = ["a", "b", "c"] as SessionId[];
  for (const session of [a, b, c] as SessionId[])
    metrics.hear({ kind: "begins", session, what: "item", place: "/w" });
  const error = new Error("away");
  const ended = { kind: "ended", what: "item", code: 1, state: null, cause: "limit", ms: 1 } as const;
  metrics.hear({ ...ended, session: a as SessionId });
  metrics.hear({ kind: "not-done", session: a as SessionId, error: error as never });
  expect(await metrics.text()).toContain("refloat_worker_running 2\n");
  metrics.hear({ kind: "trouble", error, session: b as SessionId });
  expect(await metrics.text()).toContain("refloat_worker_running 1\n");
  metrics.hear({ kind: "trouble", error });
  expect(await metrics.text()).toContain("refloat_worker_running 1\n");
});
