export { applyPlannedServices as applyServices } from "../../../shared/environments/applyPlannedServices.ts";
