import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { execFile } from "node:child_process"
import { promisify } from "node:util"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** Builds the page if that was not done since it last changed. */
export const buildPage = async (): Promise<void> => {
  const built = await stat(join(root, "dist/page/assets/page.js")).catch(() => undefined)
  const sources = await readdir(join(root, "page"), { recursive: true })
  const changed = await Promise.all(sources.map(async (name) => (await stat(join(root, "page", name))).mtimeMs))
  if (built === undefined || built.mtimeMs < Math.max(...changed)) {
    await promisify(execFile)(process.execPath, [join(root, "scripts/page.mjs")])
  }
}
