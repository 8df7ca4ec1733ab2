// Bundles the page: everything it needs is in dist/page, so it loads nothing from any other host.
import { cp, mkdir, writeFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { join } from "node:path"
import { build } from "esbuild"
// @boundaries-ignore shared by build scripts, which are not published
import { licenses } from "../../../scripts/licenses.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const out = join(root, "dist/page")
const shared = { absWorkingDir: root, bundle: true, minify: true, legalComments: "none", logLevel: "warning" }

await mkdir(join(out, "assets"), { recursive: true })
const { metafile } = await build({
  ...shared,
  entryPoints: { page: "page/main.ts" },
  outdir: join(out, "assets"),
  format: "esm",
  target: ["es2023"],
  conditions: ["production"],
  metafile: true
})
await build({ ...shared, entryPoints: { page: "page/style/page.css" }, outdir: join(out, "assets") })
await cp(join(root, "page/index.html"), join(out, "index.html"))
await cp(join(root, "page/icon.svg"), join(out, "assets/icon.svg"))
await writeFile(join(out, "assets/licenses.txt"), await licenses(root, Object.keys(metafile.inputs)))
