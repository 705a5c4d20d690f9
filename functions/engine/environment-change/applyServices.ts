export { applyPlannedServices as applyServices } from "../../../shared/environments/apply/applyPlannedServices.ts";
