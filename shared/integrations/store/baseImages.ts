import { integrationStore } from "./integrationStore.ts";

/** An image that scripts of builds and tests run in (decisions 7.7). */
export interface BaseImage {
  /** What builds name it by. */
  label: string;
  /** Image reference, as it was given. */
  value: string;
}

export const baseImages = integrationStore<BaseImage>("base-image");

/** Images that always are there, by their labels (contract W 10.1). */
export const builtInImages = { "ubuntu 18.04": "ubuntu:18.04", "ubuntu 20.04": "ubuntu:20.04" } as const;

export const builtInLabels = Object.keys(builtInImages);
