export { previewStep as preview } from "../rollout/preview.ts";
