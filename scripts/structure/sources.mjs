import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { parseSync } from "oxc-parser"
import { ResolverFactory } from "oxc-resolver"

/**
 * Reads every hand-written module below `root`. Gives for each, by its path from `root`: its length in lines, the modules
 * that it imports (types count), the specifiers of all its imports, and, of what is shipped, the top-level definitions
 * with their lengths.
 */
export const readSources = (root) => {
  const resolver = new ResolverFactory({
    conditionNames: ["@heddle/source", "node", "import"],
    extensions: [".ts", ".mjs"]
  })
  const sources = new Map()
  for (const path of modulesBelow(root, "").toSorted()) {
    const file = join(root, path)
    const text = readFileSync(file, "utf8")
    const parsed = parseSync(file, text)
    const specifiers = importsOf(parsed.module, text)
    const imports = specifiers.flatMap((specifier) => {
      const found = resolver.sync(dirname(file), specifier).path
      return found === undefined ? [] : [relative(root, found).split(sep).join("/")]
    })
    const lineAt = lineCounter(text)
    const definitions = isProduct(path) ? parsed.program.body.flatMap((it) => definitionOf(it, lineAt)) : []
    sources.set(path, { lines: text.trimEnd().split("\n").length, imports: new Set(imports), specifiers, definitions })
  }
  for (const { imports } of sources.values()) for (const path of imports) if (!sources.has(path)) imports.delete(path)
  return sources
}

/** What is shipped: a module of a package's or an app's `src` or `page` folder. */
export const isProduct = (path) => /^(packages|apps)\/[^/]+\/(src|page)\/.*\.ts$/.test(path)

const skipped = /^(node_modules|dist|generated|\..*)$/

const modulesBelow = (root, folder) =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) return skipped.test(entry.name) ? [] : modulesBelow(root, path)
    return /(?<!\.d)\.(ts|mjs)$/.test(entry.name) ? [path] : []
  })

const importsOf = ({ staticExports, staticImports }, text) => [
  ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
  ...staticExports.flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])),
  // Calls of import, in code and in types.
  ...[...text.matchAll(/\bimport\(\s*"([^"]+)"/g)].map(([, specifier]) => specifier)
]

const definitionOf = (statement, lineAt) => {
  const { declaration = statement } = statement
  const length = lineAt(statement.end) - lineAt(statement.start) + 1
  switch (declaration?.type) {
    case "VariableDeclaration":
      return declaration.declarations.map(({ id }) => ({ name: id.name ?? "(pattern)", length }))
    case "FunctionDeclaration":
    case "ClassDeclaration":
      return [{ name: declaration.id?.name ?? "default", length }]
    default:
      return []
  }
}

/** Gives the function from an offset to its line, counted from 1. */
const lineCounter = (text) => {
  const breaks = [...text.matchAll(/\n/g)].map(({ index }) => index)
  return (offset) => {
    let low = 0
    let high = breaks.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (breaks[middle] < offset) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}
