export { applyPlannedService as applyService } from "../../../shared/environments/applyPlannedService.ts";
