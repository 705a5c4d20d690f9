import { EnvironmentBusy, EnvironmentProblem } from "../failures.ts";
import { isBeingChanged, type Standing, updateRefusal } from "../rules/status.ts";

/** @throws EnvironmentBusy while another change is being applied; EnvironmentProblem in any other state that takes no update */
export function requireUpdatable(environment: Standing): void {
  const refused = updateRefusal(environment);
  if (refused === undefined) return;
  throw isBeingChanged(environment) ? new EnvironmentBusy(refused) : new EnvironmentProblem(refused);
}
