/** The API as an OpenAPI document, made from the table that answers it. Pure. */
import { z } from "zod";
import { manifest } from "../../model/manifest.ts";
import { ANSWER_SHAPES } from "./answer-shapes.ts";
import { TOKEN_HEADER } from "./guard.ts";
import type { Route } from "./route.ts";

type ApiPart = Record<string, unknown>;

export function openApi(routes: readonly Route[], version: string): ApiPart {
  return {
    openapi: "3.1.0",
    info: {
      title: "refloat",
      version,
      description:
        "What `refloat serve` answers on loopback. Data is what the command line's --json has, under the same schema names; fields may be added. Every request wants the token that the address of the page carries behind `#token=`. Requests of other pages and hosts are refused.",
    },
    components: {
      securitySchemes: { token: { type: "apiKey", in: "header", name: TOKEN_HEADER } },
      schemas: { Manifest: jsonSchema(manifest), Error: ERROR },
    },
    security: [{ token: [] }],
    paths: pathsOf(routes),
  };
}

const ERROR = {
  type: "object",
  required: ["schema", "code", "message", "hint"],
  properties: {
    schema: { const: "refloat.error/1" },
    code: { type: "string", description: "As in docs/errors.md." },
    message: { type: "string" },
    hint: { type: "string", description: "What to do next; commands can be typed as they stand." },
  },
};

const jsonSchema = (schema: z.ZodType): ApiPart => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as ApiPart;
  return rest;
};

function pathsOf(routes: readonly Route[]): ApiPart {
  const paths: Record<string, ApiPart> = {};
  for (const one of routes) paths[one.path] = { ...paths[one.path], [one.method]: operationOf(one) };
  return { ...paths, ...STREAMS };
}

function operationOf(one: Route): ApiPart {
  const { properties = {}, required = [] } = jsonSchema(one.input) as {
    properties?: ApiPart;
    required?: string[];
  };
  const inPath = [...one.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
  const rest = Object.fromEntries(Object.entries(properties).filter(([name]) => !inPath.includes(name)));
  const wanted = required.filter((name) => !inPath.includes(name));
  return {
    summary: one.summary,
    description: one.about,
    parameters: [
      ...inPath.map((name) => ({
        ...{ name, in: "path", required: true, schema: properties[name], example: "shop" },
      })),
      ...(one.method === "get"
        ? Object.entries(rest).map(([name, schema]) => ({
            name,
            in: "query",
            required: wanted.includes(name),
            schema,
            ...exampleOf(one.path, name),
          }))
        : []),
    ],
    ...(one.method === "post"
      ? {
          requestBody: {
            required: true,
            content: {
              "application/json": {
                schema: { type: "object", properties: rest, required: wanted, additionalProperties: false },
                example: ANSWER_SHAPES[one.path]?.asked ?? {},
              },
            },
          },
        }
      : {}),
    responses: {
      200: one.answers === "json" ? jsonAnswer(one) : one.answers === "picture" ? PICTURE : linesAnswer(one),
      default: {
        description: "It failed",
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      },
    },
  };
}

const exampleOf = (path: string, name: string): ApiPart => {
  const asked = ANSWER_SHAPES[path]?.asked ?? {};
  return name in asked ? { example: asked[name] } : {};
};

const jsonAnswer = ({ path, summary }: Route): ApiPart => ({
  description: summary,
  content: { "application/json": shapeOf(path) },
});

/** The schema of the data, and an example of it where it is short. */
function shapeOf(path: string): ApiPart {
  const shape = ANSWER_SHAPES[path];
  if (!shape) return { schema: { type: "object" } };
  return { schema: jsonSchema(shape.schema), ...(shape.example ? { example: shape.example } : {}) };
}

const PICTURE = {
  description: "The picture's bytes, its type by what they are",
  content: { "image/*": { schema: { type: "string", format: "binary" } } },
};

/** The last line has the data, beside its kind. */
function linesAnswer({ path }: Route): ApiPart {
  const { schema, example } = shapeOf(path);
  const said = { type: "object", required: ["kind"], properties: { kind: { type: "string" } } };
  const answered = { allOf: [{ properties: { kind: { const: "answer" } } }, schema] };
  return {
    description:
      "A JSON object a line: how far it is (`progress`, `check-step`, `stops-leftovers`, ...), at last `answer` with the data, or `error`. The schema is a line's.",
    content: {
      "application/x-ndjson": {
        schema: { anyOf: [answered, said] },
        ...(example ? { example: { kind: "answer", ...example } } : {}),
      },
    },
  };
}

const EVENTS = {
  200: {
    description: "Server-sent events",
    content: { "text/event-stream": { schema: { type: "string" } } },
  },
};
const LAST = { name: "last-event-id", in: "header", required: false, schema: { type: "string" } };

const STREAMS: ApiPart = {
  "/api/changes": {
    get: {
      summary: "That something may look different now",
      description:
        "`changed` after each change of the store and each death of an owner; who comes back with an old id is told at once.",
      parameters: [LAST],
      responses: EVENTS,
    },
  },
  "/api/sessions/{session}/follow": {
    get: {
      summary: "A session's records as they come",
      description: "`record`, with its sequence number for an id: none is left out, none comes twice.",
      parameters: [
        { name: "session", in: "path", required: true, schema: { type: "string" } },
        { name: "after", in: "query", required: false, schema: { type: "integer", minimum: 0 } },
        LAST,
      ],
      responses: EVENTS,
    },
  },
};
