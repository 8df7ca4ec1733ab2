import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"

/** Where a system keeps its programs and libraries, and the few of its settings that they need; no secrets. */
export const system: ReadonlyArray<string> = [
  "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /opt /nix/store /gnu/store",
  "/etc/alternatives /etc/ssl /etc/pki /etc/ca-certificates /etc/crypto-policies /etc/fonts",
  "/etc/hosts /etc/host.conf /etc/nsswitch.conf /etc/resolv.conf /etc/gai.conf /etc/services",
  "/etc/passwd /etc/group /etc/localtime /etc/ld.so.cache /etc/ld.so.conf /etc/ld.so.conf.d"
].flatMap((line) => line.split(" "))

/** Finds a program as a shell would: by its path, or by its name in the folders of `path`. */
export const program = (name: string, path: string): string | undefined => {
  if (name === "") return undefined
  const candidates = name.includes("/")
    ? [Path.resolve(name)]
    : path.split(Path.delimiter).map((folder) => Path.resolve(folder, name))
  return candidates.find(isProgram)
}

/**
 * The files that a command needs beside those of the system:
 * - its program, with the libraries next to it and the interpreter of its first line
 * - every file or folder that an argument names with an absolute path
 * - for scripts of a Node package: the package and the modules that they can import
 *
 * A file outside a package is included without its folder. A folder with data of a service is never included.
 */
export const needed = (command: ReadonlyArray<string>, path: string): ReadonlyArray<string> => {
  const found = new Set<string>()
  const seen = new Set<string>()
  const has = (file: string) => [...system, ...found].some((folder) => isWithin(folder, file))

  const add = (folder: string, otherwise?: string) => {
    const chosen = isPersonal(folder) || hasServiceData(folder) ? otherwise : folder
    if (chosen !== undefined && Fs.existsSync(chosen) && !has(chosen)) found.add(chosen)
  }

  const addPackage = (root: string, file?: string) => {
    if (seen.has(root)) return
    seen.add(root)
    const modules = modulesOf(root)
    if (modules !== undefined) return add(modules)
    add(root, file)
    for (const folder of ancestors(root)) add(Path.join(folder, "node_modules"))
    for (const linked of links(Path.join(root, "node_modules"))) if (!has(linked)) addPackage(linked)
  }

  const addFile = (file: string) => {
    if (seen.has(file) || !Fs.existsSync(file)) return
    seen.add(file)
    const real = Fs.realpathSync(file)
    if (Fs.statSync(real).isDirectory()) return add(file)
    // The link stays a link, because a program finds what belongs to it from where the link leads.
    for (const place of new Set([file, real])) {
      const folder = Path.dirname(place)
      if (has(place)) continue
      if (isInstalled(place)) for (const beside of besideBin) add(Path.join(folder, "..", beside))
      else {
        const root = modulesOf(place) ?? packageOf(place)
        if (root !== undefined) addPackage(root, place)
        else {
          add(place)
          const kind = /\.[jt]s$/.test(place) ? kindOf(folder) : undefined
          if (kind !== undefined) add(kind)
        }
      }
    }
    const interpreter = interpreterOf(real, path)
    if (interpreter !== undefined) addFile(interpreter)
  }

  for (const word of command) if (Path.isAbsolute(word)) addFile(word)
  return [...found]
}

/** Whether the file is the folder or lies in it. */
export const isWithin = (folder: string, file: string): boolean =>
  file === folder || file.startsWith(folder.endsWith("/") ? folder : `${folder}/`)

/** The outermost folder of modules that a file lies in. */
const modulesOf = (file: string): string | undefined => /^.*?[/]node_modules(?=[/]|$)/.exec(file)?.[0]

/** Whether it is a program of an installation in the Unix way, not a script of a package's own `bin`. */
const isInstalled = (file: string): boolean => {
  const folder = Path.dirname(file)
  return (
    Path.basename(folder) === "bin" &&
    modulesOf(file) === undefined &&
    !/\.[cm]?[jt]s$/.test(file) &&
    !Fs.existsSync(Path.join(folder, "..", "package.json"))
  )
}

/** What stands beside the programs of one installation; a virtual environment of Python has its settings there too. */
const besideBin = ["bin", "lib", "lib64", "libexec", "pyvenv.cfg"]

/** Folders that hold far more than an agent: never shown whole. */
const isPersonal = (folder: string): boolean =>
  [Os.homedir(), Os.tmpdir(), "/tmp", "/var/tmp"].some((personal) => isWithin(folder, personal))

/** Whether it is, holds or lies in the data folder of a service, of this one or another. */
const hasServiceData = (folder: string): boolean => {
  const isData = (place: string) => dataFiles.some((name) => Fs.existsSync(Path.join(place, name)))
  return ancestors(folder).some(isData) || namesIn(folder).some((name) => isData(Path.join(folder, name)))
}

const dataFiles = ["master.key", "server.sqlite"]

/** The names in a folder; none where it is no folder, or one that cannot be read. */
const namesIn = (folder: string): ReadonlyArray<string> => {
  if (folder.endsWith("/node_modules") || !Fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return []
  try {
    return Fs.readdirSync(folder)
  } catch {
    return []
  }
}

/** The `package.json` that tells Node which kind of module a script is. */
const kindOf = (folder: string): string | undefined =>
  ancestors(folder)
    .map((each) => Path.join(each, "package.json"))
    .find((file) => Fs.existsSync(file))

const isProgram = (file: string): boolean => {
  try {
    Fs.accessSync(file, Fs.constants.X_OK)
    return Fs.statSync(file).isFile()
  } catch {
    // Whatever keeps it from being run, the next folder may have one that can be.
    return false
  }
}

/** The folder and all above it but the topmost. */
const ancestors = (folder: string): ReadonlyArray<string> =>
  folder === Path.dirname(folder) ? [] : [folder, ...ancestors(Path.dirname(folder))]

/** The Node package that a file belongs to: the nearest one with a name. */
const packageOf = (file: string): string | undefined =>
  ancestors(Path.dirname(file)).find(
    (folder) => /"name"\s*:/.test(textOf(Path.join(folder, "package.json"), 64 * 1024)) && !isPersonal(folder)
  )

/** Where the links of a folder of modules lead, as a workspace has them. */
const links = (modules: string): ReadonlyArray<string> => {
  if (!Fs.existsSync(modules)) return []
  return Fs.readdirSync(modules, { withFileTypes: true }).flatMap((entry) => {
    const file = Path.join(modules, entry.name)
    if (entry.isDirectory() && entry.name.startsWith("@")) return links(file)
    return entry.isSymbolicLink() && Fs.existsSync(file) ? [Fs.realpathSync(file)] : []
  })
}

/** The program that a script's first line names. */
const interpreterOf = (file: string, path: string): string | undefined => {
  const [, named = "", first = ""] = /^#!\s*(\S+)(?:\s+(?:-S\s+)?(\S+))?/.exec(textOf(file, 256)) ?? []
  return program(Path.basename(named) === "env" ? first : named, path)
}

/** The beginning of a file; nothing where there is none that can be read, as of programs that can only be run. */
const textOf = (file: string, bytes: number): string => {
  if (!Fs.existsSync(file)) return ""
  const start = Buffer.alloc(bytes)
  let handle: number | undefined
  try {
    handle = Fs.openSync(file, "r")
    return start.toString("latin1", 0, Fs.readSync(handle, start))
  } catch {
    return ""
  } finally {
    if (handle !== undefined) Fs.closeSync(handle)
  }
}
