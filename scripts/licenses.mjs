import { readFile, readdir, realpath } from "node:fs/promises"
import { join, resolve } from "node:path"

/**
 * The licences of the packages in a bundle, for distribution with it. A package counts with its own dependencies. The paths
 * of `files` are relative to `root`.
 */
export const licenses = async (root, files) => {
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

/** The node_modules folder in which a package finds its dependencies. */
const sibling = (folder, name) => resolve(folder, name.startsWith("@") ? "../.." : "..")
