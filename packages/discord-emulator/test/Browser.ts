import { existsSync } from "node:fs"
import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { type Browser, chromium } from "playwright-core"

const root = fileURLToPath(new URL("..", import.meta.url))
const candidates = [
  process.env["HEDDLE_CHROMIUM"],
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome"
]
const found = candidates.find((path) => path !== undefined && existsSync(path))

/** Says why the page's tests cannot run here; undefined when they can. */
export const noBrowser: string | undefined =
  found === undefined ? "no Chromium on this machine; set HEDDLE_CHROMIUM to one" : undefined

if (noBrowser !== undefined) {
  if (process.env["HEDDLE_REQUIRE_BROWSER"] === "1")
    throw new Error(`HEDDLE_REQUIRE_BROWSER is set, but there is ${noBrowser}`)
  console.warn(`The page's tests are skipped: ${noBrowser}`)
}

/** Starts a browser that makes no requests of its own. */
export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: found ?? "",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--disable-quic"
    ]
  })

/** Builds the page if that was not done since it last changed. */
export const buildPage = async (): Promise<void> => {
  const built = await stat(join(root, "dist/page/assets/page.js")).catch(() => undefined)
  const sources = await readdir(join(root, "page"), { recursive: true })
  const changed = await Promise.all(sources.map(async (name) => (await stat(join(root, "page", name))).mtimeMs))
  if (built === undefined || built.mtimeMs < Math.max(...changed)) {
    await promisify(execFile)(process.execPath, [join(root, "scripts/page.mjs")])
  }
}
