/**
 * What a call may have done to the world when nobody saw it end (C4). A closed table of tools known only to
 * read; everything else, plug-ins and MCP tools above all, is `unknown`: guessing "harmless" is how a
 * restart command gets run twice.
 */
import type { Effect } from "../model/record.ts";

/** Lower-case names, as the agents of this field spell them. */
const READ_ONLY_TOOLS: ReadonlySet<string> = new Set([
  // files
  "read",
  "read_file",
  "readfile",
  "view",
  "view_file",
  "cat",
  "open_file",
  "read_many_files",
  "notebookread",
  "ls",
  "list",
  "list_dir",
  "list_directory",
  "list_files",
  "tree",
  "stat",
  "glob",
  "grep",
  "search",
  "search_files",
  "search_file_content",
  "find",
  "find_files",
  "rg",
  "ripgrep",
  "codebase_search",
  // the web, without logging in or sending
  "webfetch",
  "web_fetch",
  "fetch_url",
  "websearch",
  "web_search",
  "google_web_search",
  // looking at what is there
  "git_status",
  "git_diff",
  "git_log",
  "git_show",
  "get_diagnostics",
  "diagnostics",
  "lsp_hover",
  "lsp_references",
  "read_terminal",
  "terminal_read",
  "bashoutput",
  "bash_output",
  "screenshot",
  "take_screenshot",
]);

export function effectOfTool(tool: string): Effect {
  return READ_ONLY_TOOLS.has(tool.toLowerCase()) ? "none" : "unknown";
}

export const readOnlyTools = (): readonly string[] => [...READ_ONLY_TOOLS].sort();
