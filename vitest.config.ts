import { defineConfig } from "vitest/config";
import { LongFirst } from "./test/harness/longFirst.ts";

/** `unit` needs nothing but npm; `cluster` needs a Kubernetes API server in KUBECONFIG; `soak` takes minutes. */
export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    reporters: ["default", "./test/harness/totals.ts"],
    projects: [
      {
        test: {
          name: "unit",
          // By itself vitest leaves one of two cores idle.
          maxWorkers: 2,
          isolate: false,
          setupFiles: ["test/harness/freshEnvironment.ts"],
          include: ["test/**/*.test.ts"],
          exclude: ["test/cluster/**", "test/soak/**"],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "cluster",
          globalSetup: ["test/cluster/keepNodesAlive.ts"],
          include: ["test/cluster/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "soak",
          include: ["test/soak/**/*.test.ts"],
          testTimeout: 1_800_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
