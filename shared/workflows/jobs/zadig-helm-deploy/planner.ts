export { planner } from "../zadig-deploy/planner.ts";
