export { previewBeside as preview } from "../rollout/preview.ts";
