/** Loaded before the program: its clock stands still until the file that MOVES_ON names is there. */
import { existsSync } from "node:fs";

const now = Date.now;
const began = now();
Date.now = () => (existsSync(process.env.MOVES_ON ?? "") ? now() : began);
