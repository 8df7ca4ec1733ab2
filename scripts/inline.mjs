// Writes a module of a dependency into a file of dist, with everything of that package that it needs:
// `inline.mjs sql/SqliteClient.js @effect/sql-sqlite-node/SqliteClient`. Its other imports stay. Users of a published
// package cannot override what a dependency of it depends on; what it inlines takes the package's own dependencies.
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { build } from "esbuild"
import { licenses } from "./licenses.mjs"

const root = process.cwd()
const [file, module] = process.argv.slice(2)
const name = /^(?:@[^/]+\/)?[^/]+/.exec(module)[0]
const outfile = join(root, "dist", file)

const { metafile } = await build({
  absWorkingDir: root,
  stdin: { contents: `export * from "${module}"`, resolveDir: root },
  outfile,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  logLevel: "warning",
  metafile: true,
  plugins: [
    {
      name: "only this package",
      setup: ({ onResolve }) =>
        onResolve({ filter: /^[^./]/ }, ({ path }) =>
          path === name || path.startsWith(`${name}/`) ? undefined : { path, external: true }
        )
    }
  ]
})
await writeFile(`${outfile}.licenses.txt`, await licenses(root, Object.keys(metafile.inputs)))
