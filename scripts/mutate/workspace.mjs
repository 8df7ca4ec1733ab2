// A copy of the workspace that faults are put into. It has no `dist`: a test that starts a built program would run without
// the fault, so it fails here before any fault is tried.
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** Copies what Git tracks or would track, and links the installed packages. */
export const copyWorkspace = (root, to) => {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 ** 2
  })
  for (const path of listed.split("\0")) {
    if (path === "" || !existsSync(join(root, path))) continue
    mkdirSync(dirname(join(to, path)), { recursive: true })
    cpSync(join(root, path), join(to, path), { verbatimSymlinks: true })
  }
  // Linked one by one, so that the cache of vitest stays in the copy.
  mkdirSync(join(to, "node_modules"))
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (name !== ".vite") symlinkSync(join(root, "node_modules", name), join(to, "node_modules", name))
  }
  // These links are relative, so that the packages of the workspace are those of the copy.
  for (const group of ["packages", "apps", "examples"]) {
    for (const name of readdirSync(join(root, group))) {
      const modules = join(group, name, "node_modules")
      if (existsSync(join(root, modules)) && existsSync(join(to, group, name)))
        cpSync(join(root, modules), join(to, modules), { recursive: true, verbatimSymlinks: true })
    }
  }
}

/** Puts a fault into a copy; returns the function that takes it out. */
export const applyFault = (copy, { file, find, replace }) => {
  const path = join(copy, file)
  const original = readFileSync(path, "utf8")
  writeFileSync(
    path,
    original.replace(find, () => replace)
  )
  return () => writeFileSync(path, original)
}
