#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

// A command takes a third of a second, most of it to compile what it loads; from the second one on that is kept here.
enableCompileCache(fileURLToPath(new URL("../../node_modules/.cache/slipway-command-line", import.meta.url)));
await import("./runCommandLine.ts");
