/** The document of the API against what is really there: every route is in it, with examples, and what is answered is what it says. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ANSWER_SHAPES } from "../../src/server/http/answer-shapes.ts";
import { ROUTES } from "../../src/server/http/page-app.ts";
import type { JsonObject } from "../support/cli.ts";
import { leftTwoFiles } from "../support/left-session.ts";
import { scene } from "../support/two-faces.ts";
import { type ServedTest, withPage } from "./served.ts";

const UNKNOWN = "E_PAGE_UNKNOWN";

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly told: JsonObject;
  /** Of a 200. */
  readonly content: JsonObject;
}

const operationsOf = (api: JsonObject): Operation[] =>
  Object.entries(api.paths as JsonObject).flatMap(([path, methods]) =>
    Object.entries(methods as JsonObject).map(([method, told]) => ({
      ...{ method, path, told },
      content: told.responses[200].content as JsonObject,
    })),
  );

const documentOf = async (page: ServedTest): Promise<JsonObject> =>
  (await (await page.get("/openapi.json", {})).json()) as JsonObject;

/** What it has against a value; empty: nothing. */
function faultsOf(schema: JsonObject, value: unknown): string[] {
  const { error } = z.fromJSONSchema(schema).safeParse(value);
  return (error?.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);
}

/** The media of an answer in the document. */
function mediaOf(api: JsonObject, path: string, method: "get" | "post"): JsonObject {
  const [media] = Object.values(api.paths[path][method].responses[200].content as JsonObject);
  return media as JsonObject;
}

describe("the document of the API", { timeout: 180_000 }, () => {
  it("has every route with a summary, its answer's schema and examples, and no route that is not answered", async () => {
    const { place, repo } = scene();
    await leftTwoFiles(place, repo);
    await withPage(place, async (page) => {
      const api = await documentOf(page);
      const operations = operationsOf(api);
      const documented = operations.map(({ method, path }) => `${method} ${path}`);
      const streams = ["get /api/changes", "get /api/sessions/{session}/follow"];
      const routes = ROUTES.map(({ method, path }) => `${method} ${path}`);
      expect(documented.toSorted()).toEqual([...routes, ...streams].toSorted());
      for (const { path, answers } of ROUTES)
        expect([path, answers === "picture" || path in ANSWER_SHAPES]).toEqual([path, true]);
      for (const { method, path, told, content } of operations) {
        expect([path, typeof told.summary, typeof told.description]).toEqual([path, "string", "string"]);
        const [type = "", media] = Object.entries(content)[0] ?? [];
        expect([path, type]).toEqual([path, expect.stringMatching(/json$|event-stream|^image/)]);
        const { schema, example } = media as JsonObject;
        const isLong = ANSWER_SHAPES[path]?.example === null;
        if (/json$/.test(type) && !isLong) {
          expect([path, faultsOf(schema, example)]).toEqual([path, []]);
          const data = ANSWER_SHAPES[path]?.schema.safeParse(example);
          expect([path, data?.error?.issues ?? []]).toEqual([path, []]);
        }
        if (method === "post") {
          const body = told.requestBody.content["application/json"] as JsonObject;
          expect([path, faultsOf(body.schema, body.example)]).toEqual([path, []]);
        }
        // It is there: what is not is E_PAGE_UNKNOWN.
        const asked = path.replace("{session}", "nosuchsession");
        if (method === "post") expect([path, (await page.order(asked, {})).last.code]).not.toContain(UNKNOWN);
        else if (path !== "/api/changes")
          expect([path, (await page.json(asked)).code]).not.toContain(UNKNOWN);
      }
      expect((await page.json("/api/nowhere")).code).toBe(UNKNOWN);
      // That a fault would be seen.
      const sessions = mediaOf(api, "/api/sessions", "get").schema as JsonObject;
      expect(faultsOf(sessions, { schema: "refloat.sessions/1", sessions: [{}] })).not.toEqual([]);
      expect(faultsOf(api.components.schemas.Error, await page.json("/api/nowhere"))).toEqual([]);
    });
  });

  it("T1: what is answered is what it says, of every route, plan and receipt alike", async () => {
    const { place, repo } = scene();
    await leftTwoFiles(place, repo);
    await withPage(place, async (page) => {
      const api = await documentOf(page);
      const seen = new Set<string>();
      const holds = (path: string, method: "get" | "post", value: JsonObject): void => {
        seen.add(path);
        expect([path, faultsOf(mediaOf(api, path, method).schema, value)]).toEqual([path, []]);
        // A line may be anything with a kind: the last of them is held to the data alone.
        expect([path, ANSWER_SHAPES[path]?.schema.safeParse(value).error?.issues ?? []]).toEqual([path, []]);
      };
      const get = async (path: string, query = ""): Promise<JsonObject> => {
        const answer = await page.json(`${path.replace("{session}", "left-session")}${query}`);
        holds(path, "get", answer);
        return answer;
      };
      const order = async (path: string, body: JsonObject): Promise<JsonObject> => {
        const { last } = await page.order(path.replace("{session}", "left-session"), body);
        expect([path, last.kind, last.message ?? ""]).toEqual([path, "answer", last.message ?? ""]);
        holds(path, "post", last);
        return last;
      };
      const of = (name: string): string => `/api/sessions/{session}/${name}`;
      for (const path of ["/api/home", "/api/sessions", "/api/doctor", "/api/storage", "/api/worktrees"])
        await get(path);
      await get("/api/sessions/{session}");
      await get(of("records"));
      await get(of("rate"));
      await get(of("handoff"));
      const { groups } = await get(of("salvage"));
      await get(of("diff"), `?group=${groups[0].id}`);
      await order(of("verify"), {});
      const choices = { [groups[0].id]: "park" };
      const { digest } = await order(of("plan"), { choices });
      await order(of("apply"), { choices, digest });
      const { parked } = await get("/api/parked");
      for (const [path, body] of [
        [of("undo"), {}],
        [of("redo"), {}],
        ["/api/undo", {}],
        ["/api/redo", {}],
        ["/api/unpark", { name: parked[0].name }],
      ] as const) {
        const planned = await order(path, body);
        expect(await order(path, { ...body, digest: planned.digest })).toMatchObject({ done: true });
      }
      repo.git("worktree", "add", "-q", "--detach", `${repo.root}-beside`);
      const paths = [`${repo.root}-beside`];
      const planned = await order("/api/worktrees/remove", { paths });
      await order("/api/worktrees/remove", { paths, digest: planned.digest });
      const unseen = ROUTES.filter(({ path, answers }) => answers !== "picture" && !seen.has(path));
      expect(unseen.map(({ path }) => path)).toEqual([]);
    });
  });
});
