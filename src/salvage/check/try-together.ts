/**
 * Which of several things pass a check together: all of them first, and where that fails by halves, each laid upon what passed
 * before it (DESIGN 8). Tried one by one, work that needs its neighbour would fail, and it would cost a run for each.
 *
 *  - `passed` passes as it stands, all of it at once: that is the last set that was tried with success.
 *  - What failed is tried again once more has passed: it may have needed that. So may what needs each other while one of
 *    them is at fault: then each is left out in turn.
 *  - What fails with the others and passes alone clashes with them, or with some of them only: those are looked for, too. Who of them
 *    is wrong nobody can say, so none of them has passed; the rest has where it passes without them.
 *  - No set is tried twice: where the first half passes, the second laid upon it is what failed already.
 * Pure, but for the check it is handed. Bounded by a number of runs (T5): what is not reached is `untried`.
 */
export interface TogetherOutcome<Item> {
  readonly passed: readonly Item[];
  readonly failed: readonly Item[];
  /** Neither: each passes where another of them is not there. */
  readonly clashing: readonly Item[];
  readonly untried: readonly Item[];
}

export interface Runs {
  left: number;
}

export interface TogetherOptions<Item> {
  /** What they are laid upon, known to pass. */
  readonly base?: readonly Item[];
  readonly runs: Runs;
  /** All of them together were tried already, and failed. */
  readonly hasFailed?: boolean;
}

export async function tryTogether<Item>(
  items: readonly Item[],
  { base = [], runs, hasFailed = false }: TogetherOptions<Item>,
  check: (items: readonly Item[]) => Promise<boolean>,
): Promise<TogetherOutcome<Item>> {
  const trial = new TogetherTrial(base, runs, check);
  if (hasFailed) trial.remember([...base, ...items], false);
  await trial.add(items);
  await trial.again();
  await trial.leavingOneOut();
  const clashing = await trial.clashes();
  const isFree = (item: Item): boolean => !clashing.includes(item);
  const { passed, failed, untried } = trial;
  return { passed: passed.filter(isFree), failed: failed.filter(isFree), clashing, untried };
}

/** Below three there is nobody left who could need each other when one is left out. */
const LEAST_TO_LEAVE_OUT = 3;

/** Lives as long as one trial. */
class TogetherTrial<Item> {
  failed: readonly Item[] = [];
  passed: readonly Item[] = [];
  untried: readonly Item[] = [];
  readonly #base: readonly Item[];
  readonly #runs: Runs;
  readonly #check: (items: readonly Item[]) => Promise<boolean>;
  /** What each set that was tried came to, by the numbers of its items. */
  readonly #known = new Map<string, boolean>();
  readonly #numbers = new Map<Item, number>();

  constructor(base: readonly Item[], runs: Runs, check: (items: readonly Item[]) => Promise<boolean>) {
    this.#base = base;
    this.#runs = runs;
    this.#check = check;
  }

  async add(items: readonly Item[]): Promise<void> {
    if (items.length === 0) return;
    if (!this.#canTell(this.#upon(items))) {
      this.untried = [...this.untried, ...items];
      return;
    }
    if (!(await this.#passes(items))) await this.#halves(items);
  }

  /** Of what fails as it stands. */
  async #halves(items: readonly Item[]): Promise<void> {
    if (items.length <= 1) {
      this.failed = [...this.failed, ...items];
      return;
    }
    const half = Math.ceil(items.length / 2);
    await this.add(items.slice(0, half));
    await this.add(items.slice(half));
  }

  /** As long as something more passes. */
  async again(): Promise<void> {
    for (let before = -1; before !== this.passed.length && this.passed.length > 0; ) {
      before = this.passed.length;
      for (const item of this.failed)
        if (this.#canTell(this.#upon([item])) && (await this.#passes([item])))
          this.failed = this.failed.filter((other) => other !== item);
    }
  }

  async leavingOneOut(): Promise<void> {
    if (this.failed.length < LEAST_TO_LEAVE_OUT) return;
    for (const left of this.failed) {
      const others = this.failed.filter((other) => other !== left);
      if (!this.#canTell(this.#upon(others)) || !(await this.#passes(others))) continue;
      this.failed = [left];
      return;
    }
  }

  /** Those that pass alone and not with the others, and those others; all that passed where it cannot be told which. */
  async clashes(): Promise<readonly Item[]> {
    if (this.#base.length + this.passed.length === 0) return [];
    const alone: Item[] = [];
    for (const item of this.failed) if (await this.#tells([item])) alone.push(item);
    const touched = new Set<Item>();
    for (const item of alone) for (const other of await this.#touchedBy(item)) touched.add(other);
    const rest = this.passed.filter((item) => !touched.has(item));
    const isRestGood =
      touched.size === 0 || rest.length === 0 || (await this.#tells([...this.#base, ...rest]));
    return [...(isRestGood ? this.passed.filter((item) => touched.has(item)) : this.passed), ...alone];
  }

  /** Those of what passed that it does not pass beside. Where it does not pass upon what they are laid upon, none of them is at fault. */
  async #touchedBy(item: Item): Promise<readonly Item[]> {
    const touched: Item[] = [];
    for (let rest = this.passed; rest.length > 0; ) {
      const fails = await this.#firstFailing(rest, item);
      if (fails === "unknown") return this.passed;
      if (fails === "none" || fails === 0) break;
      const other = rest[fails - 1] as Item;
      touched.push(other);
      rest = rest.filter((one) => one !== other);
    }
    return touched;
  }

  /** How many of them, from the first on, it needs to fail beside; by halves. */
  async #firstFailing(rest: readonly Item[], item: Item): Promise<number | "none" | "unknown"> {
    const failsBeside = async (number: number): Promise<boolean | null> => {
      const set = [...this.#base, ...rest.slice(0, number), item];
      return this.#canTell(set) ? !(await this.#run(set)) : null;
    };
    const withAll = await failsBeside(rest.length);
    const withNone = withAll === true ? await failsBeside(0) : false;
    if (withAll === null || withNone === null) return "unknown";
    if (!withAll) return "none";
    if (withNone) return 0;
    let passes = 0;
    let fails = rest.length;
    while (fails - passes > 1) {
      const middle = (passes + fails) >> 1;
      const isFailing = await failsBeside(middle);
      if (isFailing === null) return "unknown";
      if (isFailing) fails = middle;
      else passes = middle;
    }
    return fails;
  }

  async #tells(set: readonly Item[]): Promise<boolean> {
    return this.#canTell(set) && (await this.#run(set));
  }

  remember(items: readonly Item[], isPassing: boolean): void {
    this.#known.set(this.#keyOf(items), isPassing);
  }

  async #passes(items: readonly Item[]): Promise<boolean> {
    if (!(await this.#run(this.#upon(items)))) return false;
    this.passed = [...this.passed, ...items];
    return true;
  }

  #upon(items: readonly Item[]): readonly Item[] {
    return [...this.#base, ...this.passed, ...items];
  }

  #canTell(items: readonly Item[]): boolean {
    return this.#runs.left > 0 || this.#known.has(this.#keyOf(items));
  }

  async #run(items: readonly Item[]): Promise<boolean> {
    const known = this.#known.get(this.#keyOf(items));
    if (known !== undefined) return known;
    this.#runs.left--;
    const isPassing = await this.#check(items);
    this.remember(items, isPassing);
    return isPassing;
  }

  #keyOf(items: readonly Item[]): string {
    const numbers = items.map((item) => {
      const number = this.#numbers.get(item) ?? this.#numbers.size;
      this.#numbers.set(item, number);
      return number;
    });
    return numbers.sort((a, b) => a - b).join(" ");
  }
}
