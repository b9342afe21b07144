/** An id as a screen shows it: said by text/, for every face that names sessions. */
export { SHORT_CHARS, shortId } from "../../text/short-id.ts";
