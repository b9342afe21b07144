/** What an agent is told when its work goes on: the brief, told apart from the person's own words, and a short fixed sentence (T3). */

/** In the place of the prompt when the agent's own conversation goes on: the work is not asked for a second time. */
export const GO_ON =
  "Go on with the interrupted work. Do not repeat what is done; check what was cut off before you rely on it.";

const BEGIN = "[refloat: what is known of the interrupted work. Not the user's words.]";
/** Earlier ones stay in a conversation for good: each was true when it was given. */
const NEWEST = "This is how things stand now; it takes the place of every earlier text of refloat's here.";
const END = "[refloat: end. The user's words follow.]";

/** The brief in front of a prompt. A line of the brief that looks like our own end is changed, so that it cannot end early. */
export const briefBefore = (brief: string, prompt: string): string =>
  `${BEGIN}\n${NEWEST}\n${brief.replaceAll("[refloat:", "[refloat :").trimEnd()}\n${END}\n\n${prompt}`;

/** A prompt of ours, told apart again; null: nobody of ours wrote in it. A CLI may have put quotes around it. */
export function splitBrief(text: string): { readonly brief: string; readonly prompt: string } | null {
  const begin = text.search(/\S/);
  const at = text.startsWith(`"${BEGIN}`, begin) ? begin + 1 : begin;
  if (!text.startsWith(BEGIN, at)) return null;
  const end = text.indexOf(END, at);
  if (end === -1) return null;
  const prompt = text.slice(end + END.length).trim();
  return {
    brief: text
      .slice(at + BEGIN.length, end)
      .trim()
      .replace(`${NEWEST}\n`, ""),
    prompt: at > begin && prompt.endsWith('"') ? prompt.slice(0, -1) : prompt,
  };
}

/** What of a prompt the person typed; null: nothing, it was all ours. */
export function personsWords(prompt: string): string | null {
  const words = splitBrief(prompt)?.prompt ?? prompt;
  // A CLI may have put quotes around it.
  return words === "" || words.trim().replace(/^"(.*)"$/s, "$1") === GO_ON ? null : words;
}
