// Bundles the page: everything it needs is in dist/page, so it loads nothing from any other host.
import { cp, mkdir } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { join } from "node:path"
import { build } from "esbuild"

const root = fileURLToPath(new URL("..", import.meta.url))
// The compiled server modules of src/page are in the same folder and stay.
const out = join(root, "dist/page")

await mkdir(join(out, "assets"), { recursive: true })
await build({
  absWorkingDir: root,
  entryPoints: { page: "page/main.ts" },
  outdir: join(out, "assets"),
  bundle: true,
  minify: true,
  format: "esm",
  target: ["es2023"],
  conditions: ["production"],
  legalComments: "linked",
  logLevel: "warning"
})
await build({
  absWorkingDir: root,
  entryPoints: { page: "page/style/page.css" },
  outdir: join(out, "assets"),
  bundle: true,
  minify: true,
  logLevel: "warning"
})
await cp(join(root, "page/index.html"), join(out, "index.html"))
await cp(join(root, "page/icon.svg"), join(out, "assets/icon.svg"))
