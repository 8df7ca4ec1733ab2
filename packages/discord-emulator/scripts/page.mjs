// Bundles the page: everything it needs is in dist/page, so it loads nothing from any other host.
import { cp, mkdir, readFile, readdir, realpath, writeFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { join, resolve } from "node:path"
import { build } from "esbuild"

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
await writeFile(join(out, "assets/licenses.txt"), await licenses(Object.keys(metafile.inputs)))

/** Collects the licences of what is bundled; a bundled package that carries others inside it counts with them. */
async function licenses(files) {
  const folders = new Set(files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []))
  const found = new Map()
  const add = async (link) => {
    const folder = await realpath(link)
    const {
      name,
      version,
      license,
      dependencies = {}
    } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"))
    if (found.has(name)) return
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry))
    const text = file === undefined ? "" : await readFile(join(folder, file), "utf8")
    found.set(name, `${name} ${version} (${license})\n\n${text.trim()}\n`)
    const code = Object.keys(dependencies).filter((dependency) => !dependency.startsWith("@types/"))
    for (const dependency of code) await add(join(sibling(folder, name), dependency))
  }
  for (const folder of folders) await add(resolve(root, folder))
  return [...found.values()].join(`\n${"-".repeat(80)}\n\n`)
}

/** Gives the node_modules folder in which a package finds its own dependencies. */
function sibling(folder, name) {
  return resolve(folder, name.startsWith("@") ? "../.." : "..")
}
