import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { parseSync } from "oxc-parser"
import { ResolverFactory } from "oxc-resolver"
import { definitionsOf } from "./definitions.mjs"
import { importsOf } from "./imports.mjs"

/**
 * Reads every module below `root`. Gives for each, by its path from `root`: its length in lines, the modules that it
 * imports (types count), what `importsOf` reads, and its top-level definitions with their lengths.
 */
export const readSources = (root) => {
  const resolver = new ResolverFactory({
    conditionNames: ["@heddle/source", "node", "import"],
    extensions: [".ts", ".mts", ".mjs", ".js"],
    extensionAlias: { ".js": [".ts", ".js"], ".mjs": [".mts", ".mjs"] }
  })
  const sources = new Map()
  for (const path of modulesBelow(root, "").toSorted()) {
    const file = join(root, path)
    const text = readFileSync(file, "utf8")
    const { program } = parseSync(file, text)
    const read = importsOf(program)
    const imports = read.specifiers.flatMap((specifier) => {
      const found = resolver.sync(dirname(file), specifier).path
      return found === undefined ? [] : [relative(root, found).split(sep).join("/")]
    })
    sources.set(path, {
      ...read,
      imports: new Set(imports),
      lines: text.trimEnd().split("\n").length,
      definitions: definitionsOf(program, text)
    })
  }
  for (const { imports } of sources.values()) for (const path of imports) if (!sources.has(path)) imports.delete(path)
  return sources
}

/** What is shipped: a module of a package's or an app's `src` or `page` folder. */
export const isProduct = (path) => /^(packages|apps)\/[^/]+\/(src|page)\//.test(path)

/** A script writes these modules, so they have any length. */
export const isGenerated = (path) => path.includes("/generated/")

/** What Git does not keep, and hidden folders that hold no module of ours. */
const skipped = /^(node_modules|dist|\.(?!ci$|vitepress$).*)$|^apps\/docs\/\.vitepress\/cache$/

const modulesBelow = (root, folder) =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) return skipped.test(entry.name) || skipped.test(path) ? [] : modulesBelow(root, path)
    return /\.[cm]?[jt]sx?$/.test(entry.name) ? [path] : []
  })
