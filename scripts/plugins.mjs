// Writes plugins/ from one source: the agents' own tables, hooks/refloat-hook and the package's version. `--check`: writes nothing, exits 1
// where a file is not as it would be written. Needs dist/.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { codexSeconds, SERVER_VARIABLES } from "../dist/agents/codex/install.js";
import { AGENTS } from "../dist/agents/registry.js";
import { askedEvents } from "../dist/agents/words/hooks.js";
import { HOOK_SECONDS } from "../dist/agents/words/install.js";

const { version, description, license } = JSON.parse(readFileSync("package.json", "utf8"));
const recorder = readFileSync("hooks/refloat-hook", "utf8");
const holder = readFileSync("hooks/refloat-hold", "utf8");
const about = { name: "refloat", version, description };

/** What is asked for of each agent is what `init` asks for, and how long it waits. */
const eventsOf = (agent) => askedEvents(AGENTS.find(({ name }) => name === agent).hooks);
const [CLAUDE, CODEX, GEMINI] = ["claude", "codex", "gemini"].map(eventsOf);
const SECONDS = () => HOOK_SECONDS;

/** Filled in by the agent. */
const variable = (name) => `\${${name}}`;
const json = (value) => `${JSON.stringify(value, null, 2)}\n`;

/** Where the store's folder is, by the customs of the platform; made at the first event, so that a refloat that comes later finds it. */
const HOOK = `#!/bin/sh
# Finds refloat's folder, and hands the event to the recorder beside this file. Silent, and exit 0, whatever happens.
{
  umask 077
  case \${REFLOAT_HOME-} in /*) ;; *)
    case $(uname) in
    Darwin) REFLOAT_HOME="$HOME/Library/Application Support/refloat" ;;
    *) REFLOAT_HOME="\${XDG_STATE_HOME:-$HOME/.local/state}/refloat" ;;
    esac ;;
  esac
  export REFLOAT_HOME
  case \${REFLOAT_OFF-} in '' | 0) mkdir -p "$REFLOAT_HOME/inbox" ;; esac
  # Where \`refloat init\` has set this agent up, the entry in its settings tells: every event comes once. What was set up stands in the notes.
  if [ -x "$REFLOAT_HOME/bin/refloat-hook" ]; then
    for note in "$REFLOAT_HOME"/install/*.json; do
      agent= scope= target=
      while IFS= read -r line; do
        value=\${line#*\\": \\"}
        value=\${value%\\"*}
        case $line in
        '  "agent": "'*) agent=$value ;;
        '  "scope": "'*) scope=$value ;;
        '  "target": "'*) target=$value ;;
        esac
      done <"$note"
      [ "$agent" = "$1" ] || continue
      case $scope:$PWD/ in user:* | repo:"\${target%/.*}"/* | shared:"\${target%/.*}"/*) ;; *) continue ;; esac
      grep -q refloat-hook "$target" || continue
      cat
      exit 0
    done
  fi
} >/dev/null 2>&1
exec "\${0%/*}/refloat-hook" "$@"
`;

/** A server only where refloat is installed: never fetched. */
const SERVER = { command: "sh", args: ["-c", "exec refloat mcp"] };

const hooks = (root, agent, events, timeout) => ({
  hooks: Object.fromEntries(
    events.map((event) => [
      event,
      [
        {
          hooks: [
            { type: "command", command: `"${root}/bin/hook" ${agent} ${event}`, timeout: timeout(event) },
          ],
        },
      ],
    ]),
  ),
});

const readme = (title, add, remove) => `# refloat for ${title}

Crash-safe sessions: what the agent is about to do is written down before it does it, so that a session that dies can be seen and gone on with
(\`npx refloat\`, or \`npm install --global refloat\`). Made by scripts/plugins.mjs; nothing leaves the machine.

Add it:

\`\`\`sh
${add}
\`\`\`

Take it away again:

\`\`\`sh
${remove}
\`\`\`

What it wrote down stays in refloat's own folder (\`~/.local/state/refloat\`); \`refloat uninstall --purge\` removes that, too.
`;

const bin = { "bin/hook": HOOK, "bin/refloat-hook": recorder, "bin/refloat-hold": holder };

const ACTION = `name: Run an agent under refloat
description: Runs a command as a refloat session; what it left is uploaded when it fails, is cancelled or times out.
inputs:
  run:
    description: The command, for sh.
    required: true
  timeout:
    description: How long it may take (50m, 2h); nothing, no bound.
    default: ""
  version:
    description: Which refloat; "installed" takes the one on the PATH.
    default: "${version}"
  bundle:
    description: The folder the bundle is written to.
    default: refloat-bundle
  upload:
    description: Whether the bundle is uploaded as an artifact.
    default: "true"
outputs:
  exit-code:
    description: The command's own.
    value: \${{ steps.run.outputs.exit-code }}
runs:
  using: composite
  steps:
    - id: install
      shell: sh
      env:
        VERSION: \${{ inputs.version }}
      run: |
        [ "$VERSION" = installed ] || npm install --global --ignore-scripts "refloat@$VERSION"
    - id: run
      shell: sh
      env:
        COMMAND: \${{ inputs.run }}
        TIMEOUT: \${{ inputs.timeout }}
        BUNDLE: \${{ inputs.bundle }}
      run: |
        REFLOAT_HOME="\${REFLOAT_HOME:-$RUNNER_TEMP/refloat}"
        export REFLOAT_HOME
        code=0
        refloat run --bundle "$BUNDLE" \${TIMEOUT:+--timeout "$TIMEOUT"} -- sh -c "$COMMAND" || code=$?
        echo "exit-code=$code" >>"$GITHUB_OUTPUT"
        exit "$code"
    - if: always() && inputs.upload == 'true'
      uses: actions/upload-artifact@v4
      with:
        name: refloat-bundle
        path: \${{ inputs.bundle }}
        if-no-files-found: ignore
`;

const INSTALL = `#!/bin/sh
# A devcontainer feature: refloat, where there is a Node to run it; its store on a volume (devcontainer-feature.json), for the container goes.
set -e
VERSION=\${VERSION:-latest}
if ! command -v npm >/dev/null; then
  echo "refloat needs Node 20.20 or newer: add ghcr.io/devcontainers/features/node before it." >&2
  exit 1
fi
npm install --global --ignore-scripts "refloat@$VERSION"
mkdir -p /var/lib/refloat
chmod 0700 /var/lib/refloat
if [ -n "\${_REMOTE_USER:-}" ]; then chown "$_REMOTE_USER" /var/lib/refloat; fi
`;

const FILES = {
  ".claude-plugin/marketplace.json": json({
    name: "refloat",
    owner: { name: "refloat" },
    plugins: [{ name: "refloat", source: "./claude", description }],
  }),
  "claude/.claude-plugin/plugin.json": json({ ...about, author: { name: "refloat" }, license }),
  "claude/hooks/hooks.json": json(hooks(variable("CLAUDE_PLUGIN_ROOT"), "claude", CLAUDE, SECONDS)),
  "claude/.mcp.json": json({ mcpServers: { refloat: SERVER } }),
  ...under("claude", bin),
  "claude/README.md": readme(
    "Claude Code",
    "claude plugin marketplace add ./node_modules/refloat/plugins   # or a checkout's plugins/\nclaude plugin install refloat@refloat",
    "claude plugin uninstall refloat@refloat\nclaude plugin marketplace remove refloat",
  ),
  "codex/.agents/plugins/marketplace.json": json({
    name: "refloat",
    interface: { displayName: "refloat" },
    plugins: [
      {
        name: "refloat",
        source: { source: "local", path: "./refloat" },
        policy: { installation: "AVAILABLE", authentication: "ON_INSTALL" },
        category: "Productivity",
      },
    ],
  }),
  "codex/refloat/.codex-plugin/plugin.json": json({
    ...about,
    hooks: "./hooks/hooks.json",
    mcpServers: "./.mcp.json",
  }),
  "codex/refloat/hooks/hooks.json": json(hooks(variable("PLUGIN_ROOT"), "codex", CODEX, codexSeconds)),
  "codex/refloat/.mcp.json": json({ mcpServers: { refloat: { ...SERVER, env_vars: SERVER_VARIABLES } } }),
  ...under("codex/refloat", bin),
  "codex/README.md": readme(
    "Codex",
    "codex plugin marketplace add ./node_modules/refloat/plugins/codex\ncodex plugin add refloat@refloat   # then /hooks in codex, once, to trust them",
    "codex plugin remove refloat@refloat\ncodex plugin marketplace remove refloat",
  ),
  "gemini/gemini-extension.json": json({ ...about, mcpServers: { refloat: SERVER } }),
  "gemini/hooks/hooks.json": json(
    hooks(variable("extensionPath"), "gemini", GEMINI, () => HOOK_SECONDS * 1000),
  ),
  ...under("gemini", bin),
  "gemini/README.md": readme(
    "Gemini CLI",
    "gemini extensions install ./node_modules/refloat/plugins/gemini",
    "gemini extensions uninstall refloat",
  ),
  "devcontainer/devcontainer-feature.json": json({
    id: "refloat",
    version,
    name: "refloat",
    description,
    options: { version: { type: "string", default: version, description: "Which refloat." } },
    installsAfter: ["ghcr.io/devcontainers/features/node"],
    containerEnv: { REFLOAT_HOME: "/var/lib/refloat" },
    mounts: [{ type: "volume", source: `refloat-${variable("devcontainerId")}`, target: "/var/lib/refloat" }],
  }),
  "devcontainer/install.sh": INSTALL,
  "github-action/action.yml": ACTION,
};

function under(folder, files) {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]));
}

const isRun = (path) => path.includes("/bin/") || path.endsWith(".sh");
const isCheck = process.argv.includes("--check");
const wrong = [];
for (const [path, text] of Object.entries(FILES)) {
  const file = join("plugins", path);
  const mode = isRun(path) ? 0o755 : 0o644;
  const isSame =
    existsSync(file) &&
    readFileSync(file, "utf8") === text &&
    (statSync(file).mode & 0o100) === (mode & 0o100);
  if (isSame) continue;
  wrong.push(file);
  if (isCheck) continue;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
}
const there = existsSync("plugins") ? readdirSync("plugins", { recursive: true, withFileTypes: true }) : [];
for (const entry of there.filter((one) => one.isFile())) {
  const file = join(entry.parentPath, entry.name);
  if (FILES[file.slice("plugins/".length)] !== undefined) continue;
  wrong.push(file);
  if (!isCheck) rmSync(file);
}
if (isCheck && wrong.length > 0) {
  console.error(`Not as scripts/plugins.mjs writes them: ${wrong.join(", ")}`);
  process.exitCode = 1;
}
