/** fast-check, drawing from the seed of this run. Tests import it from here. */
import fc from "fast-check";
import { seed } from "./seed.ts";

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });

export default fc;
