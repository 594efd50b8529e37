import fc from "fast-check";

// The same inputs in every run, so that a failing run is caused by the change; `SEED=random` tries new ones.
const { SEED = "20261115" } = process.env;
if (SEED !== "random") fc.configureGlobal({ seed: Number(SEED) });
