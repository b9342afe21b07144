/** What no compiler of Go takes and its grammar does: no package clause, a function that gives something and plainly runs past its end. */
import type { Node } from "web-tree-sitter";

interface GoFault {
  readonly line: number;
  readonly message: string;
}

export function goFault(root: Node): GoFault | null {
  if (!root.namedChildren.some((one) => one?.type === "package_clause"))
    return { line: 1, message: "no package clause" };
  for (const node of root.descendantsOfType(["function_declaration", "method_declaration", "func_literal"])) {
    const body = node?.childForFieldName("body");
    if (!node || !body || !node.childForFieldName("result") || !runsOut(body)) continue;
    return { line: body.endPosition.row + 1, message: "a return is missing" };
  }
  return null;
}

/** Statements after which a function goes on, whatever stands in them; any other may end it. */
const GOES_ON =
  /^(?:short_var_declaration|assignment_statement|var_declaration|const_declaration|type_declaration|inc_statement|dec_statement|defer_statement|go_statement|send_statement)$/;

function runsOut(body: Node): boolean {
  const statements = body.namedChildren.flatMap((one) =>
    one?.type === "statement_list" ? one.namedChildren : [one],
  );
  const last = statements.filter((one) => one !== null && one.type !== "comment").at(-1);
  if (!last) return true;
  if (GOES_ON.test(last.type)) return true;
  if (last.type === "if_statement") return last.childForFieldName("alternative") === null;
  // `for range` and a loop with a condition may not run at all.
  if (last.type === "for_statement") return last.namedChildren.some((one) => one?.type === "range_clause");
  const call = last.type === "expression_statement" ? last.namedChild(0) : null;
  return (
    call !== null && call?.type === "call_expression" && call.childForFieldName("function")?.text !== "panic"
  );
}
