import { existsSync } from "node:fs";

/** Where Debian's Chromium is; undefined where there is none. */
export const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path));
