#!/usr/bin/env node
// The command line. CommonJS in old syntax, so that an old Node.js can say that it is too old.
"use strict";
var found = process.versions.node.split(".").map(Number);
if (found[0] > 22 || (found[0] === 22 && found[1] >= 16)) {
  import("../lib/slipway.js");
} else {
  process.stderr.write(
    "slipway: Node.js " + process.version + " is too old: install version 22.16 or newer (https://nodejs.org)\n",
  );
  process.exitCode = 1;
}
