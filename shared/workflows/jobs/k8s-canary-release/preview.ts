export { previewRelease as preview } from "../rollout/preview.ts";
