// Preloaded into a program under measurement: when it ends, the most memory it ever had goes into a file, and its processor time into another.
const { writeFileSync } = require("node:fs");
const { BENCH_PEAK: peak, BENCH_USED: used } = process.env;
if (peak) process.on("exit", () => writeFileSync(peak, String(process.resourceUsage().maxRSS * 1024)));
if (used) {
  process.on("exit", () => {
    const { userCPUTime, systemCPUTime } = process.resourceUsage();
    writeFileSync(used, String((userCPUTime + systemCPUTime) / 1000));
  });
}
