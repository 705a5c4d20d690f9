import type { ScanDefinition } from "../rules/quality/scanDefinition.ts";
import { definitionStore } from "./definitionStore.ts";

/** What the list shows of a code scan. */
export interface ScanSummary {
  name: string;
  description: string;
  scannerType: ScanDefinition["scannerType"];
  updatedBy: string;
  /** Unix seconds. */
  updatedAt: number;
}

/** Listed by name. */
export const scans = definitionStore<ScanDefinition, ScanSummary>("scan", {
  uniqueEverywhere: false,
  descending: false,
  sortKey: ({ name }) => name,
  tasksAtOnce: ({ concurrencyLimit }) => concurrencyLimit,
  summary: ({ name, updatedBy, updatedAt, content: { description, scannerType } }) => ({
    ...{ name, description, scannerType, updatedBy, updatedAt },
  }),
});

/** @returns the code scan as it is stored, without the values of credentials */
export const findScan = scans.find;
