import type { Change, Committed, Ledger } from "../../src/ledger/ledger.ts";
import { StoreFault } from "../../src/ledger/store-fault.ts";
import { type Operation, ProcessCrash } from "./operation.ts";
import type { Plant } from "./plants.ts";

/** The store behind the ledgers of all processes. */
export interface Store {
  readonly ledger: Ledger;
  readonly plant: Plant;
  /** Texts that must not be stored. */
  readonly hidden: readonly string[];
  /** Called for every successful commit, before anything else happens. */
  committed(operation: Operation, change: Change): Promise<void>;
}

/** One process's view of the shared ledger: it waits before every call, and can fail at named points. */
export class GatedLedger implements Ledger {
  readonly #store: Store;
  /** The operation whose calls these are now. */
  operation: Operation;

  constructor(store: Store, operation: Operation) {
    this.#store = store;
    this.operation = operation;
  }

  task: Ledger["task"] = (key) => this.#read(`task ${key}`, (ledger) => ledger.task(key));
  tasks: Ledger["tasks"] = (filter) => this.#read("tasks", (ledger) => ledger.tasks(filter));
  dependents: Ledger["dependents"] = (key) =>
    this.#read(`dependents ${key}`, (ledger) => ledger.dependents(key));
  waitingFor: Ledger["waitingFor"] = (key) =>
    this.#read(`waitingFor ${key}`, (ledger) => ledger.waitingFor(key));
  attempt: Ledger["attempt"] = (task) => this.#read(`attempt ${task}`, (ledger) => ledger.attempt(task));
  runningAttempts = () => this.#read("runningAttempts", (ledger) => ledger.runningAttempts());
  locks: Ledger["locks"] = (filter) => this.#read("locks", (ledger) => ledger.locks(filter));
  locksNear: Ledger["locksNear"] = (paths) => this.#read("locksNear", (ledger) => ledger.locksNear(paths));
  locksOnResources: Ledger["locksOnResources"] = (names) =>
    this.#read("locksOnResources", (ledger) => ledger.locksOnResources(names));
  fence = () => this.#read("fence", (ledger) => ledger.fence());
  events: Ledger["events"] = (filter) => this.#read("events", (ledger) => ledger.events(filter));
  setting: Ledger["setting"] = (name) => this.#read("setting", (ledger) => ledger.setting(name));
  answered: Ledger["answered"] = (key) => this.#read(`answered ${key}`, (ledger) => ledger.answered(key));
  intents = () => this.#read("intents", (ledger) => ledger.intents());
  decisions: Ledger["decisions"] = (filter) => this.#read("decisions", (ledger) => ledger.decisions(filter));
  session: Ledger["session"] = (name) => this.#read(`session ${name}`, (ledger) => ledger.session(name));
  sessions = () => this.#read("sessions", (ledger) => ledger.sessions());
  role: Ledger["role"] = (name) => this.#read(`role ${name}`, (ledger) => ledger.role(name));
  roles = () => this.#read("roles", (ledger) => ledger.roles());
  machines = () => this.#read("machines", (ledger) => ledger.machines());
  survey = () => this.#read("survey", (ledger) => ledger.survey());
  evidence: Ledger["evidence"] = (key) => this.#read(`evidence ${key}`, (ledger) => ledger.evidence(key));
  verify = () => this.#read("verify", (ledger) => ledger.verify());
  about = () => this.#read("about", (ledger) => ledger.about());
  version = () => this.#store.ledger.version();
  secret = () => this.#store.ledger.secret();
  close(): void {}

  async commit(change: Change): Promise<Committed> {
    const { operation } = this;
    const fault = await operation.turn("commit");
    if (fault === "before-commit") this.#crash();
    if (fault === "full") throw new StoreFault("full", "the disk is full: make room");
    if (fault === "conflict" || operation.storm > 0) {
      operation.storm -= 1;
      return { conflict: "storm" };
    }
    const { ledger, plant, hidden } = this.#store;
    const committed = (await plant.commit?.(change, ledger, hidden)) ?? (await ledger.commit(change));
    if ("ok" in committed) await this.#store.committed(operation, change);
    if (fault === "after-commit") this.#crash();
    return committed;
  }

  async #read<Found>(point: string, read: (ledger: Ledger) => Promise<Found>): Promise<Found> {
    if ((await this.operation.turn(point)) === "before-read") this.#crash();
    return read(this.#store.ledger);
  }

  #crash(): never {
    const { process } = this.operation;
    process.alive = false;
    throw new ProcessCrash(process.name);
  }
}
