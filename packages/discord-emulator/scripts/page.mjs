// Bundles the page and its assets into dist/page.
import { cp, mkdir, readFile, writeFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { join } from "node:path"
import { build } from "esbuild"
// @boundaries-ignore shared by build scripts, which are not published
import { licenses } from "../../../scripts/licenses.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const out = join(root, "dist/page")
const shared = { absWorkingDir: root, bundle: true, minify: true, legalComments: "none", logLevel: "warning" }

// The markdown library bundles a highlighter with about 190 languages, five sixths of the page. Only these stay.
const keptLanguages =
  "bash c cpp csharp css diff dockerfile go graphql ini java javascript json kotlin less lua makefile markdown php plaintext powershell python r ruby rust scss shell sql swift typescript xml yaml"
const fewerLanguages = {
  name: "fewer-languages",
  setup: ({ onLoad }) =>
    onLoad({ filter: /discord-markdown\.mjs$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8")
      let droppedCount = 0
      const contents = source.replace(/^hljs\.registerLanguage\('([^']+)', \w+\(\)\);$/gm, (call, language) => {
        if (keptLanguages.split(" ").includes(language)) return call
        droppedCount++
        return ""
      })
      if (droppedCount < 100) throw new Error("The markdown library registers its languages in another way now.")
      return { contents, loader: "js" }
    })
}

await mkdir(join(out, "assets"), { recursive: true })
const { metafile } = await build({
  ...shared,
  entryPoints: { page: "page/main.ts" },
  outdir: join(out, "assets"),
  format: "esm",
  target: ["es2023"],
  conditions: ["production"],
  plugins: [fewerLanguages],
  metafile: true
})
await build({ ...shared, entryPoints: { page: "page/style/page.css" }, outdir: join(out, "assets") })
await cp(join(root, "page/index.html"), join(out, "index.html"))
await cp(join(root, "page/icon.svg"), join(out, "assets/icon.svg"))
await writeFile(join(out, "assets/licenses.txt"), await licenses(root, Object.keys(metafile.inputs)))
