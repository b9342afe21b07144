/**
 * Which of several things pass a check together: all of them first, and where that fails by halves, each laid upon what passed
 * before it (DESIGN 8). Tried one by one, work that needs its neighbour would fail, and it would cost a run for each.
 *
 *  - `passed` passes as it stands, all of it at once: that is the last set that was tried with success.
 *  - What failed is tried again once more has passed: it may have needed that. So may what needs each other while one of
 *    them is at fault: then each is left out in turn.
 *  - What fails with the others and passes alone clashes with them.
 *  - No set is tried twice: where the first half passes, the second laid upon it is what failed already.
 * Pure, but for the check it is handed. Bounded by a number of runs (T5): what is not reached is `untried`.
 */
export interface TogetherOutcome<Item> {
  readonly passed: readonly Item[];
  readonly failed: readonly Item[];
  /** Of those that failed, the ones that pass alone. */
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
  const clashing = trial.hasPassed ? await trial.aloneOf(trial.failed) : [];
  return { passed: trial.passed, failed: trial.failed, clashing, untried: trial.untried };
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

  get hasPassed(): boolean {
    return this.#base.length + this.passed.length > 0;
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

  async aloneOf(items: readonly Item[]): Promise<Item[]> {
    const found: Item[] = [];
    for (const item of items) if (this.#canTell([item]) && (await this.#run([item]))) found.push(item);
    return found;
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
