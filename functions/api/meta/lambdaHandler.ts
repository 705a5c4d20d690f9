import { join } from "node:path";
import type { ApiHandler } from "../../../shared/http/createApi.ts";
import { streamToLambda } from "../../../shared/http/stream/streamToLambda.ts";
import { consoleFiles, consoleFolder } from "./consoleFiles.ts";
import { handler as api } from "./handler.ts";
import { withConsole } from "./withConsole.ts";

let files: ApiHandler | undefined;

/** Programs that ask for something else need not wait for the files. */
const ofConsole: ApiHandler = (event, context) => {
  files ??= consoleFiles(join(import.meta.dirname, consoleFolder));
  return files(event, context);
};

/** What Lambda runs: the same endpoint, with the console, whose compressed files API Gateway passes on in streams alone. */
export const handler = streamToLambda(withConsole(api, ofConsole));
