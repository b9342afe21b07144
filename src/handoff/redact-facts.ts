/** Takes secrets out of a brief's facts before anything is chosen or cut (T4): half a secret is found by no rule. */
import type { Json } from "../model/json.ts";
import { isJsonObject } from "../model/json.ts";
import { redactJson } from "../text/redact.ts";
import type { BriefDecision, BriefFacts } from "./brief-facts.ts";

export async function redactFacts(facts: BriefFacts): Promise<BriefFacts> {
  const { value } = await redactJson(facts as unknown as Json);
  const redacted = value as unknown as BriefFacts;
  const decisions: BriefDecision[] = [];
  for (const decision of redacted.decisions) decisions.push(await redactDecision(decision));
  return { ...redacted, decisions };
}

/** The name that tells a secret is the decision's key here, not the field it stands in. */
async function redactDecision(decision: BriefDecision): Promise<BriefDecision> {
  const { value } = await redactJson({ [decision.key]: decision.value });
  const redacted = isJsonObject(value) ? value[decision.key] : undefined;
  return redacted === undefined ? decision : { ...decision, value: redacted };
}
