import { execFile } from "node:child_process"
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, it } from "@effect/vitest"

const docs = fileURLToPath(new URL("../apps/docs", import.meta.url))

it(
  "the documentation builds without dead links and has guide, architecture and every decision",
  { timeout: 120_000 },
  async () => {
    const out = await mkdtemp(join(tmpdir(), "heddle-docs-"))
    try {
      await promisify(execFile)(join(docs, "node_modules/.bin/vitepress"), ["build", docs, "--outDir", out])
      const page = (path: string) => readFile(join(out, path), "utf8")
      assert.include(await page("guide/start.html"), "asks you to connect an account")
      assert.include(await page("guide/retries.html"), "redemptions.redeem")
      assert.include(await page("architecture.html"), "One message, step by step")
      const index = await page("decisions/index.html")
      for (const file of await readdir(join(docs, "decisions"))) {
        if (file === "index.md") continue
        const name = file.replace(/\.md$/, "")
        assert.include(index, `/decisions/${name}`)
        assert.isNotEmpty(await page(`decisions/${name}.html`))
      }
    } finally {
      await rm(out, { recursive: true, force: true })
    }
  }
)
