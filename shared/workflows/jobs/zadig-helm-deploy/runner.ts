export { runner } from "../zadig-deploy/runner.ts";
