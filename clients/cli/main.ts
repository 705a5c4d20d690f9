#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import { compileCache } from "../../infra/program.ts";

// Most of a command's time goes into compiling what it loads; from the second one on that is kept here.
enableCompileCache(compileCache);
await import("./runCommandLine.ts");
