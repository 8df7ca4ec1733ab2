import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"

/** The paths of a system's programs and libraries with the settings that they need; no secrets. */
export const system: ReadonlyArray<string> = [
  "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /opt /nix/store /gnu/store",
  "/etc/alternatives /etc/ssl /etc/pki /etc/ca-certificates /etc/crypto-policies /etc/fonts",
  "/etc/hosts /etc/host.conf /etc/nsswitch.conf /etc/resolv.conf /etc/gai.conf /etc/services",
  "/etc/passwd /etc/group /etc/localtime /etc/ld.so.cache /etc/ld.so.conf /etc/ld.so.conf.d"
].flatMap((line) => line.split(" "))

/** Finds a program as a shell would: by its path, or by its name in the folders of `path`. */
export const findProgram = (name: string, path: string): string | undefined => {
  if (name === "") return undefined
  const candidates = name.includes("/")
    ? [Path.resolve(name)]
    : path.split(Path.delimiter).map((folder) => Path.resolve(folder, name))
  return candidates.find(isProgram)
}

/**
 * The files that a command needs besides those of the system:
 * - its program, with the libraries next to it and the interpreter of its first line
 * - every file or folder that an argument names with an absolute path
 * - for scripts of a Node package: the package and the modules that they can import
 *
 * A file outside a package is included without its folder. A folder with data of a service is never included.
 */
export const requiredPaths = (command: ReadonlyArray<string>, path: string): ReadonlyArray<string> => {
  const paths = new Set<string>()
  const visited = new Set<string>()
  const isCovered = (file: string) => [...system, ...paths].some((folder) => isWithin(folder, file))

  const add = (folder: string, fallback?: string) => {
    const allowedPath = isPersonal(folder) || hasServiceData(folder) ? fallback : folder
    if (allowedPath !== undefined && Fs.existsSync(allowedPath) && !isCovered(allowedPath)) paths.add(allowedPath)
  }

  const addPackage = (root: string, file?: string) => {
    if (visited.has(root)) return
    visited.add(root)
    const modules = outermostNodeModules(root)
    if (modules !== undefined) return add(modules)
    add(root, file)
    for (const folder of ancestors(root)) add(Path.join(folder, "node_modules"))
    for (const linked of linkTargets(Path.join(root, "node_modules"))) if (!isCovered(linked)) addPackage(linked)
  }

  const addFile = (file: string) => {
    if (visited.has(file) || !Fs.existsSync(file)) return
    visited.add(file)
    const real = Fs.realpathSync(file)
    if (Fs.statSync(real).isDirectory()) return add(file)
    // The link stays a link, because a program finds its files relative to the target.
    for (const place of new Set([file, real])) {
      const folder = Path.dirname(place)
      if (isCovered(place)) continue
      if (isInInstallationBin(place)) for (const name of installationFolders) add(Path.join(folder, "..", name))
      else {
        const root = outermostNodeModules(place) ?? packageOf(place)
        if (root !== undefined) addPackage(root, place)
        else {
          add(place)
          const packageJson = /\.[jt]s$/.test(place) ? nearestPackageJson(folder) : undefined
          if (packageJson !== undefined) add(packageJson)
        }
      }
    }
    const interpreter = interpreterOf(real, path)
    if (interpreter !== undefined) addFile(interpreter)
  }

  for (const word of command) if (Path.isAbsolute(word)) addFile(word)
  return [...paths]
}

/** Tells whether the file is the folder or in it. */
export const isWithin = (folder: string, file: string): boolean =>
  file === folder || file.startsWith(folder.endsWith("/") ? folder : `${folder}/`)

/** The outermost `node_modules` folder of a file. */
const outermostNodeModules = (file: string): string | undefined => /^.*?[/]node_modules(?=[/]|$)/.exec(file)?.[0]

/**
 * Tells whether a file is in the `bin` of a Unix installation, such as /opt/x/bin beside /opt/x/lib. A script in the `bin`
 * of a package is not.
 */
const isInInstallationBin = (file: string): boolean => {
  const folder = Path.dirname(file)
  return (
    Path.basename(folder) === "bin" &&
    outermostNodeModules(file) === undefined &&
    !/\.[cm]?[jt]s$/.test(file) &&
    !Fs.existsSync(Path.join(folder, "..", "package.json"))
  )
}

/** The files of an installation next to its `bin`; `pyvenv.cfg` belongs to a virtual environment of Python. */
const installationFolders = ["bin", "lib", "lib64", "libexec", "pyvenv.cfg"]

/** Tells whether a folder contains a home or temporary folder, which an agent must never see whole. */
const isPersonal = (folder: string): boolean =>
  [Os.homedir(), Os.tmpdir(), "/tmp", "/var/tmp"].some((personal) => isWithin(folder, personal))

/** Tells whether a folder is in, is or contains the data folder of any service. */
const hasServiceData = (folder: string): boolean => {
  const isData = (place: string) => dataFiles.some((name) => Fs.existsSync(Path.join(place, name)))
  return ancestors(folder).some(isData) || namesIn(folder).some((name) => isData(Path.join(folder, name)))
}

const dataFiles = ["master.key", "server.sqlite"]

/** The names in a folder; none for a file or an unreadable folder. */
const namesIn = (folder: string): ReadonlyArray<string> => {
  if (folder.endsWith("/node_modules") || !Fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return []
  try {
    return Fs.readdirSync(folder)
  } catch {
    return []
  }
}

/** The nearest `package.json`, from which Node reads the module kind of a script. */
const nearestPackageJson = (folder: string): string | undefined =>
  ancestors(folder)
    .map((ancestor) => Path.join(ancestor, "package.json"))
    .find((file) => Fs.existsSync(file))

const isProgram = (file: string): boolean => {
  try {
    Fs.accessSync(file, Fs.constants.X_OK)
    return Fs.statSync(file).isFile()
  } catch {
    // Not executable here; the next folder of the path may have the program.
    return false
  }
}

/** The folder and its ancestors, without the root. */
const ancestors = (folder: string): ReadonlyArray<string> =>
  folder === Path.dirname(folder) ? [] : [folder, ...ancestors(Path.dirname(folder))]

/** The Node package that a file belongs to: the nearest one with a name. */
const packageOf = (file: string): string | undefined =>
  ancestors(Path.dirname(file)).find(
    (folder) => /"name"\s*:/.test(readStart(Path.join(folder, "package.json"), 64 * 1024)) && !isPersonal(folder)
  )

/** The targets of the links in a `node_modules` folder, as a workspace has them. */
const linkTargets = (modules: string): ReadonlyArray<string> => {
  if (!Fs.existsSync(modules)) return []
  return Fs.readdirSync(modules, { withFileTypes: true }).flatMap((entry) => {
    const file = Path.join(modules, entry.name)
    if (entry.isDirectory() && entry.name.startsWith("@")) return linkTargets(file)
    return entry.isSymbolicLink() && Fs.existsSync(file) ? [Fs.realpathSync(file)] : []
  })
}

/** The interpreter in the first line of a script. */
const interpreterOf = (file: string, path: string): string | undefined => {
  const [, named = "", first = ""] = /^#!\s*(\S+)(?:\s+(?:-S\s+)?(\S+))?/.exec(readStart(file, 256)) ?? []
  return findProgram(Path.basename(named) === "env" ? first : named, path)
}

/** The beginning of a file; "" for an unreadable file, such as a program without read permission. */
const readStart = (file: string, bytes: number): string => {
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
