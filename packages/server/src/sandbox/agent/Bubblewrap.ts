import * as Fs from "node:fs"
import * as Path from "node:path"
import * as AgentFiles from "./AgentFiles.ts"

/** What a program in bubblewrap sees of this machine. */
export interface View {
  /** Can be read and written: the task's own folder, also the working directory. */
  readonly folder: string
  /** Can be read, beside the system's own programs. */
  readonly readable: ReadonlyArray<string>
  /** Is empty, except for what of the above lies in it. */
  readonly hidden: ReadonlyArray<string>
  readonly network: boolean
}

/**
 * The command that runs another one in bubblewrap. It gets its own processes, host name, users, `/tmp` and `/dev`. It
 * has no capabilities, cannot make namespaces, and ends with the service.
 */
export const wrapped = (bwrap: string, command: ReadonlyArray<string>, view: View): ReadonlyArray<string> => [
  bwrap,
  ...words("--unshare-all --unshare-user --disable-userns --cap-drop ALL --die-with-parent --hostname sandbox"),
  ...(view.network ? ["--share-net"] : []),
  ...words(`--proc /proc --dev /dev --size ${sharedMemory} --tmpfs /dev/shm --remount-ro /dev`),
  ...mounts(view),
  ...words("--remount-ro / --chdir"),
  view.folder,
  "--",
  ...command
]

type Mount = readonly ["system" | "readable" | "link" | "hidden" | "temporary" | "folder", string]

/** Outer folders first; of two mounts at one place the later one holds. */
const mounts = ({ folder, hidden, readable }: View): ReadonlyArray<string> => {
  const all: ReadonlyArray<Mount> = [
    ...AgentFiles.system.map((path): Mount => ["system", path]),
    ["temporary", "/tmp"],
    ...readable.flatMap((path): ReadonlyArray<Mount> =>
      isFileLink(path) && !readable.some((other) => other !== path && AgentFiles.isWithin(other, path))
        ? [["link", path], ...real("readable", path)]
        : [["readable", path]]
    ),
    ...hidden.flatMap((path): ReadonlyArray<Mount> => [["hidden", path], ...real("hidden", path)]),
    ["folder", folder]
  ]
  const byPlace = new Map(all.map(([kind, path]) => [path, kind]))
  const ordered = [...byPlace].sort(([a], [b]) => (a < b ? -1 : 1))
  return [
    ...ordered.flatMap(([path, kind]) => mount(kind, path)),
    // Only now, because what is mounted in them needs its places made.
    ...ordered.flatMap(([path, kind]) => (kind === "hidden" ? ["--remount-ro", path] : []))
  ]
}

const mount = (kind: Mount[0], path: string): ReadonlyArray<string> => {
  switch (kind) {
    case "system":
      return isLink(path) && Path.dirname(path) === "/"
        ? ["--symlink", Fs.readlinkSync(path), path]
        : ["--ro-bind-try", path, path]
    case "readable":
      return ["--ro-bind", path, path]
    // It stays a link, because a program finds what belongs to it from where the link leads.
    case "link":
      return ["--symlink", Fs.realpathSync(path), path]
    case "temporary":
      return ["--size", String(temporary), "--tmpfs", path]
    case "hidden":
      return ["--tmpfs", path]
    case "folder":
      return ["--bind", path, path]
  }
}

/** The same place under its real name, when a link leads there. */
const real = (kind: Mount[0], path: string): ReadonlyArray<Mount> =>
  Fs.existsSync(path) && Fs.realpathSync(path) !== path ? [[kind, Fs.realpathSync(path)]] : []

const words = (flags: string): ReadonlyArray<string> => flags.split(" ")

const isLink = (path: string): boolean => Fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false

const isFileLink = (path: string): boolean =>
  isLink(path) && (Fs.statSync(path, { throwIfNoEntry: false })?.isFile() ?? false)

/** Both are memory: for more there is the task's folder, where TMPDIR leads. */
const temporary = 256 * 1024 * 1024
const sharedMemory = 64 * 1024 * 1024
