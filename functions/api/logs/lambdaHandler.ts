import { streamToLambda } from "../../../shared/http/stream/streamToLambda.ts";
import { handler as api } from "./handler.ts";

/** What Lambda runs: the same endpoints, with answers that go out while they come to be. */
export const handler = streamToLambda(api);
