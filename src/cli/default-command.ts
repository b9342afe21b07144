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
