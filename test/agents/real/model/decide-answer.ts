/**
 * What the model answers. It is a careful reader: with a brief it does the first step that neither brief nor conversation speaks of; without
 * one it knows only how many results it has seen, as a model does that was told nothing.
 */
import { allText, type Body, itemsOf, type OfferedTool, offeredTools, type Wire } from "./conversation.ts";
import { CODE, COMMITTED, type ScriptedTool, SLOW_SECONDS, type Step, scriptIn, stepsOf } from "./scripts.ts";

export interface BoundCall {
  readonly name: string;
  readonly namespace: string | null;
  readonly args: Body;
  readonly of: ScriptedTool;
}

export interface Answer {
  readonly text: string;
  readonly calls: readonly BoundCall[];
  readonly hangsIn: Step["hangsIn"] | null;
  /** A title, a summary: nothing of the script. */
  readonly isAside: boolean;
}

export const BRIEF_HEAD = "# Handoff: session";

const ASIDE: Answer = { text: '{"title":"mock title"}', calls: [], hangsIn: null, isAside: true };

export interface Setting {
  /** Where files are written. */
  readonly folder: string;
  /** Whether slow commands are slow: a step that is done a second time ends. */
  readonly isSlow: boolean;
}

export function decideAnswer(wire: Wire, body: Body, { folder, isSlow }: Setting): Answer {
  const tools = offeredTools(wire, body);
  const said = allText({ ...body, tools: null });
  const script = scriptIn(said);
  if (script === null || tools.length === 0) return ASIDE;
  const steps = stepsOf(script);
  const last = steps.at(-1) as Step;
  const left = said.includes(BRIEF_HEAD) ? unspokenOf(steps, said) : uncountedOf(steps, wire, body);
  const step = left ?? last;
  const wanted = (step.tools ?? []).map((tool) => (isSlow ? tool : atOnce(tool)));
  const calls = wanted.flatMap((tool) => bind(tools, tool, folder));
  return { text: step.text, calls, hangsIn: step.hangsIn ?? null, isAside: false };
}

const atOnce = (tool: ScriptedTool): ScriptedTool =>
  tool.kind !== "shell" ? tool : { ...tool, command: tool.command.replace(`sleep ${SLOW_SECONDS};`, "") };

function unspokenOf(steps: readonly Step[], said: string): Step | null {
  for (const step of steps) {
    const tools = (step.tools ?? []).filter((tool) => !said.includes(signatureOf(tool)));
    if (tools.length > 0) return { ...step, tools };
  }
  return null;
}

/** By which a tool is told in any text that speaks of it. */
function signatureOf(tool: ScriptedTool): string {
  switch (tool.kind) {
    case "write":
    case "read":
      return tool.path;
    case "edit":
      return tool.put;
    case "shell":
      return tool.command.slice(0, 20);
    case "mcp":
      return tool.args.label ?? tool.args.key ?? tool.tool;
  }
}

function uncountedOf(steps: readonly Step[], wire: Wire, body: Body): Step | null {
  const items = itemsOf(wire, body);
  const asked = items.findLastIndex(
    (item) => item.kind === "text" && item.role === "user" && scriptIn(item.text) !== null,
  );
  let results = items.slice(asked + 1).filter(({ kind }) => kind === "result").length;
  for (const step of steps) {
    const wanted = step.tools?.length ?? 0;
    if (results < Math.max(1, wanted)) return step;
    results -= wanted;
  }
  return null;
}

const SHELLS = ["Bash", "bash", "shell_command", "exec_command", "shell", "run_shell_command"];
const MORE_SHELLS = ["run_terminal_command", "execute_command", "runTerminalCommand"];
const READERS = ["Read", "read", "read_file", "view"];
const EDITORS = ["Edit", "edit", "replace", "edit_file", "str_replace", "MultiEdit"];
const WRITERS = ["Write", "write", "write_file", "write_to_file", "create", "create_new_file"];

function bind(tools: readonly OfferedTool[], wanted: ScriptedTool, folder: string): BoundCall[] {
  if (wanted.kind === "mcp") {
    const found = tools.find(
      ({ name, namespace }) => name.endsWith(wanted.tool) && `${namespace}${name}`.includes("refloat"),
    );
    return found ? [{ ...nameOf(found), of: wanted, args: { ...wanted.args } }] : [];
  }
  const pick = (names: readonly string[]): OfferedTool | undefined =>
    names.flatMap((name) => tools.filter((tool) => tool.name === name))[0];
  const writer = wanted.kind === "write" ? pick(WRITERS) : undefined;
  if (writer && wanted.kind === "write")
    return [{ ...nameOf(writer), of: wanted, args: writeArguments(writer, wanted, folder) }];
  const reader = wanted.kind === "read" ? pick(READERS) : undefined;
  if (reader && wanted.kind === "read")
    return [{ ...nameOf(reader), of: wanted, args: readArguments(reader, `${folder}/${wanted.path}`) }];
  const editor = wanted.kind === "edit" ? pick(EDITORS) : undefined;
  if (editor && wanted.kind === "edit")
    return [{ ...nameOf(editor), of: wanted, args: editArguments(editor, wanted, folder) }];
  const shell = pick([...SHELLS, ...MORE_SHELLS]);
  if (!shell) return [];
  return [{ ...nameOf(shell), of: wanted, args: shellArguments(shell, inShell(wanted)) }];
}

/** For an agent that offers nothing but a shell: Codex takes its patches out of it. */
function inShell(wanted: Exclude<ScriptedTool, { kind: "mcp" }>): string {
  switch (wanted.kind) {
    case "shell":
      return wanted.command;
    case "read":
      return `cat ${wanted.path}`;
    case "write":
      return `printf '%s' '${wanted.content}' > ${wanted.path}`;
    case "edit": {
      const { path, old, put } = wanted;
      const lines = LINES_OF[path] ?? [];
      const line = lines.find((one) => one.includes(old)) ?? old;
      const patch = `*** Update File: ${path}\n@@\n-${line}\n+${line.replace(old, put)}`;
      return `apply_patch <<'EOF'\n*** Begin Patch\n${patch}\n*** End Patch\nEOF`;
    }
  }
}

const LINES_OF: Readonly<Record<string, readonly string[]>> = {
  "code.js": CODE.split("\n"),
  "lib.js": COMMITTED["lib.js"].split("\n"),
};

const nameOf = ({ name, namespace }: OfferedTool): Pick<BoundCall, "name" | "namespace"> => ({
  name,
  namespace,
});

function writeArguments(
  { schema }: OfferedTool,
  { path, content }: Extract<ScriptedTool, { kind: "write" }>,
  folder: string,
): Body {
  const fields = schema.properties ?? {};
  const named = (names: readonly string[], otherwise: string): string =>
    names.find((name) => fields[name]) ?? otherwise;
  return {
    [named(PATH_FIELDS, "path")]: `${folder}/${path}`,
    [named(["content", "file_text", "contents"], "content")]: content,
    ...(fields.command?.enum?.includes("create") ? { command: "create" } : {}),
  };
}

const PATH_FIELDS = ["file_path", "filePath", "filepath", "absolute_path", "path"];

const readArguments = ({ schema }: OfferedTool, path: string): Body => ({
  [PATH_FIELDS.find((name) => schema.properties?.[name]) ?? "path"]: path,
});

function editArguments(
  { schema }: OfferedTool,
  { path, old, put }: Extract<ScriptedTool, { kind: "edit" }>,
  folder: string,
): Body {
  const fields = schema.properties ?? {};
  const named = (names: readonly string[]): string => names.find((name) => fields[name]) ?? names[0] ?? "";
  const at = { [named(PATH_FIELDS)]: `${folder}/${path}` };
  // pi has a list of them, and names its texts otherwise.
  if (fields.edits) {
    const of = (fields.edits as Body).items?.properties ?? {};
    const [from, to] = of.oldText ? ["oldText", "newText"] : ["old_string", "new_string"];
    return { ...at, edits: [{ [from]: old, [to]: put }] };
  }
  const from = named(["old_string", "oldString", "old_str", "oldText"]);
  const to = named(["new_string", "newString", "new_str", "newText"]);
  const args: Body = { ...at, [from]: old, [to]: put };
  for (const field of schema.required ?? []) if (!(field in args)) args[field] = valueFor(fields[field]);
  return args;
}

function shellArguments({ schema }: OfferedTool, command: string): Body {
  const fields = schema.properties ?? {};
  const args: Body = {};
  if (fields.cmd) args.cmd = command;
  else if (fields.command?.type === "array") args.command = ["bash", "-lc", command];
  else args.command = command;
  if (fields.description) args.description = "mock command";
  for (const [field, milliseconds] of [
    ["yield_time_ms", 60_000],
    ["timeout_ms", 3_600_000],
  ] as const)
    if (fields[field]) args[field] = milliseconds;
  if (fields.initial_wait) args.initial_wait = 60;
  for (const field of schema.required ?? []) if (!(field in args)) args[field] = valueFor(fields[field]);
  return args;
}

/** Some make every field a required one, and what may be left out `anyOf` its type and null. */
function valueFor(schema: Body | undefined): string | number | boolean {
  const types = [schema ?? {}, ...((schema?.anyOf as Body[] | undefined) ?? [])].flatMap(({ type }) => type);
  if (types.includes("boolean")) return false;
  return types.includes("number") || types.includes("integer") ? 60 : "mock";
}
