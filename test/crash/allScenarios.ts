import { chartScenarios } from "./chartScenarios.ts";
import { environmentScenarios } from "./environmentScenarios.ts";
import { meshScenarios } from "./meshScenarios.ts";
import { planScenarios } from "./planScenarios.ts";
import { rolloutScenarios } from "./rolloutScenarios.ts";
import type { Scenario } from "./scenario.ts";
import { taskScenarios } from "./taskScenarios.ts";
import { versionScenarios } from "./versionScenarios.ts";

export const allScenarios: readonly Scenario[] = [
  ...[...taskScenarios, ...rolloutScenarios, ...planScenarios],
  ...[...versionScenarios, ...environmentScenarios, ...chartScenarios, ...meshScenarios],
];
