import { build, type BuildOptions } from "esbuild"
import { mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/**
 * Bundles a TypeScript program into one file, which Node starts faster; `remove` deletes the file. Its folder starts
 * with `prefix`.
 */
export const bundle = async (entry: URL, prefix: string, options: Pick<BuildOptions, "external" | "plugins">) => {
  const folder = await mkdtemp(prefix)
  const file = join(folder, "program.mjs")
  await build({
    ...options,
    entryPoints: [fileURLToPath(entry)],
    outfile: file,
    bundle: true,
    minifyWhitespace: true,
    minifySyntax: true,
    format: "esm",
    platform: "node",
    target: "node20",
    conditions: ["@heddle/source"],
    banner: {
      js: 'import { createRequire as requireOfBundle } from "node:module"; const require = requireOfBundle(import.meta.url);'
    },
    logLevel: "error"
  })
  return { file, remove: () => rm(folder, { recursive: true, force: true }) }
}
