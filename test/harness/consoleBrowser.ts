import { mkdirSync } from "node:fs";
import { join } from "node:path";
import axe from "axe-core";
import { type Locator, type Page, chromium as playwright, type Request } from "playwright-core";
import { expect } from "vitest";
import { chromium } from "./chromium.ts";
import type { Slipway } from "./slipway.ts";
import { waitFor } from "./waitFor.ts";

export const password = "Console2026x";
/** Where pictures go, for people to look at; without it none are taken. */
const pictures = process.env.SLIPWAY_CONSOLE_PICTURES;
/** A page that runs away ends by itself, before the machine has no memory left. */
const args = ["--no-sandbox", "--js-flags=--max-old-space-size=256"];

if (chromium === undefined)
  console.log("SKIPPED: there is no Chromium (apt-get install chromium-headless-shell), so no test opens the console");

/** Findings about a dialog of Mantine: its title is in a header, which is no banner inside of a section. */
const ofDialogs = new Set(["landmark-no-duplicate-banner", "landmark-banner-is-top-level", "landmark-unique"]);

interface Look {
  dark?: boolean;
  narrow?: boolean;
}

/** How every page has to look well: in both colours, and on a phone. */
export const looks: readonly [string, Look][] = [
  ["light", {}],
  ["dark", { dark: true }],
  ["narrow", { narrow: true }],
];

/** Types over all that stands in an editor, as people do: it has to know of a selection before something takes its place. */
export async function retype(editor: Locator, text: string): Promise<void> {
  await editor.click();
  await editor.press("Control+A");
  await editor.page().keyboard.insertText(text);
}

export type ConsoleBrowser = Awaited<ReturnType<typeof openBrowser>>;

/** A browser at the console of an installation whose people have the password of this file, unless they say another. */
export async function openBrowser({ runtime: { url } }: { runtime: Pick<Slipway["runtime"], "url"> }) {
  const browser = await playwright.launch({ executablePath: chromium ?? "", args });
  /** A tab of its own, with everything that a page must not do noted. */
  async function opened({ dark, narrow }: Look = {}): Promise<{ page: Page; faults: string[] }> {
    const context = await browser.newContext({
      // What moves is looked at where it stops.
      reducedMotion: "reduce",
      colorScheme: dark ? "dark" : "light",
      viewport: narrow ? { width: 375, height: 800 } : { width: 1280, height: 900 },
      locale: "en-US",
    });
    const page = await context.newPage();
    const faults: string[] = [];
    page.setDefaultTimeout(30_000);
    page.on("crash", () => faults.push("the page crashed"));
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => {
      if (/Content Security Policy/.test(message.text())) faults.push(message.text());
    });
    page.on("request", (request) => {
      if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) faults.push(`asked ${request.url()}`);
    });
    return { page, faults };
  }

  /** Waits until a page has asked for all that it shows; a change socket is no request. */
  async function settled(page: Page): Promise<void> {
    let answeredAt = performance.now();
    const open = new Set<Request>();
    const begin = (request: Request) => void open.add(request);
    const end = (request: Request) => {
      if (open.delete(request)) answeredAt = performance.now();
    };
    page.on("request", begin).on("requestfinished", end).on("requestfailed", end);
    await waitFor(
      "the page to have what it asked for",
      async () => open.size === 0 && performance.now() - answeredAt > 1000,
    );
    page.off("request", begin).off("requestfinished", end).off("requestfailed", end);
  }

  async function signIn(page: Page, path = "", account = "admin", secret = password): Promise<void> {
    await page.goto(`${url}/console/${path}`);
    await page.getByLabel("Account").fill(account);
    await page.getByLabel("Password").fill(secret);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Sign out", exact: true }).waitFor();
  }

  /** Goes to a page by the navigation at the side, which a phone shows behind a button. */
  async function goTo(page: Page, name: string): Promise<void> {
    await page.getByRole("banner").first().waitFor();
    const menu = page.getByRole("button", { name: "Menu", exact: true });
    if (await menu.isVisible()) await menu.click();
    await page.getByRole("complementary").getByRole("link", { name, exact: true }).click();
  }

  /** Faults by axe that are more than minor, that nothing is wider than the page, and a picture where they are asked for. */
  async function looksRight(page: Page, name: string): Promise<void> {
    if (pictures !== undefined) {
      mkdirSync(pictures, { recursive: true });
      await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
    }
    // As a tool of the browser and not by the page, whose policy would refuse it.
    const found = await page.evaluate<{ id: string; impact: string; nodes: string[] }[]>(
      `${axe.source}; axe.run().then(({ violations }) => violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html }) => html) })))`,
    );
    const hasDialog = (await page.getByRole("dialog").count()) > 0;
    expect(
      found.filter(({ id, impact }) => impact !== "minor" && !(hasDialog && ofDialogs.has(id))),
      name,
    ).toEqual([]);
    const [wide, view] = await page.evaluate<[number, number]>("[document.documentElement.scrollWidth, innerWidth]");
    expect(wide, `${name} is as wide as the page`).toBeLessThanOrEqual(view);
  }
  return { opened, settled, signIn, goTo, looksRight, close: () => browser.close() };
}
