import type { TestDefinition } from "../rules/quality/testDefinition.ts";
import { definitionStore } from "./definitionStore.ts";

/** What the list shows of a test. */
export interface TestSummary {
  name: string;
  description: string;
  updatedBy: string;
  /** Unix seconds. */
  updatedAt: number;
}

/** Listed by name. */
export const tests = definitionStore<TestDefinition, TestSummary>("test", {
  uniqueEverywhere: false,
  descending: false,
  sortKey: ({ name }) => name,
  tasksAtOnce: ({ concurrencyLimit }) => concurrencyLimit,
  summary: ({ name, updatedBy, updatedAt, content: { description } }) => ({ name, description, updatedBy, updatedAt }),
});

/** @returns the test as it is stored, without the values of credentials */
export const findTest = tests.find;
