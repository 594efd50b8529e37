import { openProofCheckout, type ProofCheckout } from "../workspace/checkouts/proof-checkout.ts";

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

/** The checkouts of one prover. The first is opened at once, the others when checks run in parallel. */
export class ProofPlaces implements Disposable {
  readonly first: ProofPlace;
  readonly #options: PlacesOptions;
  readonly #all: ProofPlace[];
  readonly #free: ProofPlace[];
  readonly #waiting: ((place: ProofPlace) => void)[] = [];

  constructor(options: PlacesOptions) {
    this.#options = options;
    this.first = open(options);
    this.#all = [this.first];
    this.#free = [this.first];
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
    if (this.#all.length >= this.#options.placesMax) return undefined;
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
