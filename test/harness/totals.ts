import type { Reporter, TestModule } from "vitest/node";

/**
 * Ends a run with one plain line that any program can read: how many tests passed, failed and were skipped; what
 * broke outside of a test counts as failed. Before it come the tests that passed only when they were tried again.
 */
export default class Totals implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], outside: readonly unknown[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules)
      for (const test of module.children.allTests()) {
        counts[test.result().state] += 1;
        if (test.diagnostic()?.flaky) console.log(`tried again: ${module.relativeModuleId} > ${test.fullName}`);
      }
    const files = modules.filter((module) => module.errors().length > 0).length;
    const failed = counts.failed + files + outside.length;
    console.log(`\n${counts.passed} passed, ${failed} failed, ${counts.skipped} skipped`);
  }
}
