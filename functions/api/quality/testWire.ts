import type * as z from "zod";
import type { TestDefinition } from "../../../shared/definitions/rules/quality/testDefinition.ts";
import { showScriptJob } from "../../../shared/definitions/showScriptJob.ts";
import type { VersionedDefinition } from "../../../shared/definitions/store/definitionStore.ts";
import type { TestSummary } from "../../../shared/definitions/store/tests.ts";
import type { testList, test as testShape } from "./testRoutes.ts";

export function testItem(projectKey: string, item: TestSummary): z.input<typeof testList>["tests"][number] {
  const { name, description, updatedBy, updatedAt } = item;
  return { name, project_key: projectKey, description, update_by: updatedBy, update_time: updatedAt };
}

/** Values of credentials are withheld; `has_value` tells whether one is stored (contract W 13.3). */
export function testAnswer(test: VersionedDefinition<TestDefinition>): z.input<typeof testShape> {
  const { content } = test;
  const job = showScriptJob(content, test);
  return {
    ...testItem(test.projectKey, { ...test, description: content.description }),
    test_name: test.name,
    inputs: job.parameters.map((pair) => ({ ...pair, has_value: pair.value !== "" })),
    infrastructure: content.infrastructure,
    build_os: content.image.label,
    script_type: content.scriptType,
    script: content.script,
    ...job,
    report_dir: content.reportDirectory,
    html_report_path: content.htmlReportPath,
    archive_paths: [...content.archivePaths],
    pass_rate: content.passRate,
    concurrency_limit: content.concurrencyLimit,
  };
}
