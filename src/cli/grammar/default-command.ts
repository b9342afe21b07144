/** `refloat` alone is `refloat status`: what follows are flags, its own and those of every command. */
const WITH_VALUE: ReadonlySet<string> = new Set(["-C", "--store", "--color"]);
const NOT_A_COMMAND: ReadonlySet<string> = new Set(["--help", "-h", "--version"]);

export function withDefaultCommand(argv: readonly string[]): readonly string[] {
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] as string;
    if (NOT_A_COMMAND.has(word) || word === "--" || !word.startsWith("-")) return argv;
    if (WITH_VALUE.has(word)) i++;
  }
  return ["status", ...argv];
}

/** `--color` alone means always (DESIGN 10): at the end, before another flag or before the command. */
export function withColorValue(argv: readonly string[], commands: ReadonlySet<string>): readonly string[] {
  const end = argv.indexOf("--");
  return argv.map((word, at) => {
    const next = argv[at + 1];
    const isOurs = word === "--color" && (end === -1 || at < end);
    const isAlone = next === undefined || next.startsWith("-") || commands.has(next);
    return isOurs && isAlone ? "--color=always" : word;
  });
}
