// Why finished work is not called safe: for every rule, the groups it speaks against, and those only it speaks against.
export function newReasons() {
  const found = new Map();
  return {
    add({ verdict, reasons }) {
      if (verdict === "safe") return;
      const against = [...new Set(reasons.filter(({ weight }) => weight !== "safe").map(({ rule }) => rule))];
      for (const rule of against) {
        const row = found.get(rule) ?? { rule, groups: 0, alone: 0 };
        row.groups++;
        if (against.length === 1) row.alone++;
        found.set(rule, row);
      }
    },
    rows: () => [...found.values()].sort((a, b) => b.groups - a.groups),
  };
}
