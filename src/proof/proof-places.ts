import {
  msForNextCheckout,
  openProofCheckout,
  type ProofCheckout,
} from "../workspace/checkouts/proof-checkout.ts";

/** A checkout for checks, used by one check at a time. */
export interface ProofPlace {
  readonly checkout: ProofCheckout;
  /** The tree for which it is set up. */
  prepared: string | undefined;
}

export interface PlacesOptions {
  readonly commonFolder: string;
  /** How many checks may run at the same time. */
  readonly placesMax: number;
  onProgress?(line: string): void;
}

/**
 * The checkouts of one prover. The first is opened at once. Others are opened for checks that wait, if making another
 * checkout takes less time than these checks.
 */
export class ProofPlaces implements Disposable {
  readonly first: ProofPlace;
  readonly #options: PlacesOptions;
  readonly #all: ProofPlace[];
  readonly #free: ProofPlace[];
  readonly #waiting: ((place: ProofPlace) => void)[] = [];
  #checks = 0;
  #checksMs = 0;

  constructor(options: PlacesOptions) {
    this.#options = options;
    this.first = open(options);
    this.#all = [this.first];
    this.#free = [this.first];
  }

  /** Records how long a check took. */
  took(ms: number): void {
    this.#checks += 1;
    this.#checksMs += ms;
  }

  /** Runs `use` in a free checkout, preferably one that is set up for this tree. */
  async with<Result>(tree: string, use: (place: ProofPlace) => Promise<Result>): Promise<Result> {
    const place = this.#takeFree(tree) ?? this.#openNext() ?? (await this.#nextFree());
    try {
      return await use(place);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free.push(place);
      else next(place);
    }
  }

  [Symbol.dispose](): void {
    for (const { checkout } of this.#all) checkout[Symbol.dispose]();
  }

  #takeFree(tree: string): ProofPlace | undefined {
    const prepared = this.#free.findIndex((place) => place.prepared === tree);
    return this.#free.splice(Math.max(prepared, 0), 1)[0];
  }

  #openNext(): ProofPlace | undefined {
    const { commonFolder, placesMax } = this.#options;
    const checkMs = this.#checks === 0 ? Number.POSITIVE_INFINITY : this.#checksMs / this.#checks;
    const waitMs = (this.#waiting.length + 1) * checkMs;
    if (this.#all.length >= placesMax || waitMs < msForNextCheckout(commonFolder, this.#all.length))
      return undefined;
    const place = open(this.#options);
    this.#all.push(place);
    return place;
  }

  #nextFree(): Promise<ProofPlace> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

function open({ commonFolder, onProgress }: PlacesOptions): ProofPlace {
  return { checkout: openProofCheckout(commonFolder, onProgress), prepared: undefined };
}
