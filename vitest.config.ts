import { defineConfig } from "vitest/config";
import { LongFirst } from "./test/harness/longFirst.ts";

const unit = {
  // By itself vitest leaves one of two cores idle; two more work while others wait for a cluster, a program or a clock.
  maxWorkers: 4,
  isolate: false,
  // Node runs the program as it is: nothing is transformed, and nothing is mocked.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  setupFiles: ["test/harness/freshEnvironment.ts", "test/harness/cheapHashes.ts"],
  globalSetup: ["test/harness/unpackedHelm.ts"],
  // A commit that waits for a disk stops the whole worker. Programs that tests start as people do wait for theirs.
  env: { SLIPWAY_TEST_NO_FSYNC: "1" },
  // For a machine that does much else besides; nothing asserts a time.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  /** One of 14,000 tests that met a machine without time does not refuse a change; it is named at the end. */
  retry: Number(process.env.SLIPWAY_TEST_RETRIES ?? 0),
};

/**
 * `unit` needs nothing but npm; `late` repeats tests of the table, of tasks and of environments while reads of indexes are
 * up to 50 ms late, as in DynamoDB; `dynamodb` repeats what leans on the table most, on DynamoDB Local in
 * SLIPWAY_DYNAMODB_ENDPOINT; `cluster` needs a Kubernetes API server in KUBECONFIG; `aws` that and the stack of `cdk.out`
 * in SLIPWAY_AWS_STACK; `soak` takes minutes.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    reporters: ["default", "./test/harness/totals.ts"],
    projects: [
      {
        test: {
          ...unit,
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/aws/**", "test/cluster/**", "test/soak/**"],
        },
      },
      {
        test: {
          ...unit,
          name: "dynamodb",
          globalSetup: ["test/harness/needDynamoDb.ts", "test/harness/unpackedHelm.ts"],
          include: [
            "test/shared/{store,workflows/pods/store,workflows/saved/store}/**/*.test.ts",
            "test/tasks/{approvals,engine,errorPolicies,limits,manualExecution,queue,retry}.test.ts",
            "test/functions/api/environments/{lifecycle,sleep}.test.ts",
            "test/functions/api/workflows/legacy.test.ts",
            "test/functions/api/{delivery,operations}/**/*.test.ts",
            "test/functions/{api/statistics,triggers/statistics-recount}/**/*.test.ts",
            "test/infra/aws/{bundles,firstUser,streams}.test.ts",
            "test/start/tutorials.test.ts",
          ],
        },
      },
      {
        test: {
          ...unit,
          name: "late",
          env: { ...unit.env, SLIPWAY_TEST_LATE_INDEXES: "50" },
          // How late a read is, is chance; what is wrong is wrong again.
          retry: 1,
          include: [
            "test/shared/{store,workflows/pods/store,workflows/saved/store}/**/*.test.ts",
            "test/tasks/**/*.test.ts",
            "test/environments/{environments,refusals,status,takeover}.test.ts",
            "test/functions/api/environments/{configs,followedConfigs,lifecycle,observing,preview,problems,sleep,sleepSchedule,subEnvironments,updating,workloads}.test.ts",
          ],
        },
      },
      {
        test: {
          name: "aws",
          include: ["test/aws/**/*.test.ts"],
          testTimeout: 90_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "cluster",
          globalSetup: ["test/cluster/keepNodesAlive.ts"],
          include: ["test/cluster/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          retry: unit.retry,
          // They wait for the cluster most of the time.
          maxWorkers: 3,
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
