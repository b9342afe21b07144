/** The steps of the workflow in a workspace, as the brief has them (S7). Reads only. */
import type { BriefStep } from "../../handoff/brief-facts.ts";
import { workflowFacts } from "../../handoff/gather-facts.ts";

export const toldSteps = (root: string): readonly BriefStep[] => workflowFacts(root).steps;
