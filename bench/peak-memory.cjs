// Preloaded into a program under measurement: when it ends, the most memory it ever had goes into a file.
const { writeFileSync } = require("node:fs");
const to = process.env.BENCH_PEAK;
if (to) process.on("exit", () => writeFileSync(to, String(process.resourceUsage().maxRSS * 1024)));
