import type { Api } from "../api/api.ts";
import { ApiError } from "../api/errors.ts";
import type { Controller } from "./controller.ts";

const sliceMilliseconds = 8;
const retryMilliseconds = 250;

/** Runs control loops over dirty keys, a few milliseconds at a time so that requests are not kept waiting. */
export class ControllerRunner {
  readonly #controllers: Controller[];
  readonly #dirty = new Map<string, { controller: Controller; key: string }>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #log: (line: string) => void;
  readonly #unsubscribe: () => void;
  #scheduled = false;
  #closed = false;

  /** Starts by looking at everything there is, so that work a killed process left half done goes on. */
  constructor(api: Api, controllers: Controller[], log: (line: string) => void) {
    this.#controllers = controllers;
    this.#log = log;
    const byResource = new Map<string, Controller[]>();
    for (const controller of controllers) {
      for (const key of Object.keys(controller.watches)) {
        byResource.set(key, [...(byResource.get(key) ?? []), controller]);
      }
    }
    const everywhere = byResource.get("*") ?? [];
    this.#unsubscribe = api.store.subscribeAll((resource, change) => {
      for (const controller of [...(byResource.get(resource) ?? []), ...everywhere]) {
        const keysOf = controller.watches[resource] ?? controller.watches["*"];
        for (const key of keysOf?.(change.object) ?? []) this.enqueue(controller, key);
        if (change.previous) for (const key of keysOf?.(change.previous) ?? []) this.enqueue(controller, key);
      }
    });
    for (const resource of api.store.resources()) {
      for (const controller of [...(byResource.get(resource) ?? []), ...everywhere]) {
        const keysOf = controller.watches[resource] ?? controller.watches["*"];
        for (const object of api.store.list(resource))
          for (const key of keysOf?.(object) ?? []) this.enqueue(controller, key);
      }
    }
  }

  enqueue(controller: Controller, key: string): void {
    this.#dirty.set(`${controller.name} ${key}`, { controller, key });
    this.#schedule();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#unsubscribe();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    for (const controller of this.#controllers) await controller.close?.();
  }

  #schedule(): void {
    if (this.#scheduled || this.#closed) return;
    this.#scheduled = true;
    setImmediate(() => this.#drain());
  }

  #drain(): void {
    this.#scheduled = false;
    const end = performance.now() + sliceMilliseconds;
    for (const [id, { controller, key }] of this.#dirty) {
      if (this.#closed) return;
      this.#dirty.delete(id);
      this.#reconcile(id, controller, key);
      if (performance.now() > end) break;
    }
    if (this.#dirty.size > 0) this.#schedule();
  }

  #reconcile(id: string, controller: Controller, key: string): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    const slash = key.indexOf("/");
    let again: number | undefined;
    try {
      again = controller.reconcile(key.slice(0, slash), key.slice(slash + 1));
    } catch (error) {
      if (!(error instanceof ApiError)) this.#log(`${id}: ${error instanceof Error ? error.stack : String(error)}`);
      again = retryMilliseconds;
    }
    if (again !== undefined) this.#later(id, controller, key, again);
  }

  #later(id: string, controller: Controller, key: string, milliseconds: number): void {
    const timer = setTimeout(() => this.enqueue(controller, key), Math.min(milliseconds, 3_600_000));
    this.#timers.set(id, timer);
  }
}
