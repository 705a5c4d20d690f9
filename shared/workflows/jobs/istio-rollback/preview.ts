export { previewRollback as preview } from "../rollout/preview.ts";
