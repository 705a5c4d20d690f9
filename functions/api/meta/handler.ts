import { metaApi } from "./metaApi.ts";

export const handler = metaApi();
