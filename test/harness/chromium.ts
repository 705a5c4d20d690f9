import { existsSync } from "node:fs";

/** Where Debian's Chromium is; undefined where there is none. The headless shell takes half the processor time. */
export const chromium = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/chromium-browser"].find(
  (path) => existsSync(path),
);
