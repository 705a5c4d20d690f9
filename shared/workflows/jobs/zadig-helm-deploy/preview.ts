export { preview } from "../zadig-deploy/preview.ts";
