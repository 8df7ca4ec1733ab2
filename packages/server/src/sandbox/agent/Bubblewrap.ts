import * as Fs from "node:fs"
import * as Path from "node:path"
import * as AgentFiles from "./AgentFiles.ts"

/** The files and the network that a program in bubblewrap can use. */
export interface SandboxView {
  /** Writable: the task's folder, also the working directory. */
  readonly folder: string
  /** Read-only, besides the system's programs. */
  readonly readable: ReadonlyArray<string>
  /** Shown empty, except for the paths above in it. */
  readonly hidden: ReadonlyArray<string>
  readonly network: boolean
  /** Whether the program can make namespaces, and so run bubblewrap itself. */
  readonly namespaces: boolean
}

/**
 * The command that runs another one in bubblewrap. It gets its own processes, host name, users, `/tmp` and `/dev`. It
 * has no capabilities, makes no namespaces unless the view allows it, and ends with the service.
 */
export const wrapCommand = (
  bwrap: string,
  command: ReadonlyArray<string>,
  view: SandboxView
): ReadonlyArray<string> => [
  bwrap,
  ...splitFlags("--unshare-all --unshare-user --cap-drop ALL --die-with-parent --hostname sandbox"),
  ...(view.namespaces ? ordinaryUser() : ["--disable-userns"]),
  ...(view.network ? ["--share-net"] : []),
  ...splitFlags(`--proc /proc --dev /dev --size ${sharedMemoryBytes} --tmpfs /dev/shm --remount-ro /dev`),
  ...(isRoot() ? kernelSettings.flatMap((path) => ["--ro-bind-try", path, path]) : []),
  ...makeMountFlags(view),
  ...splitFlags("--remount-ro / --chdir"),
  view.folder,
  "--",
  ...command
]

const isRoot = (): boolean => process.getuid?.() === 0

/**
 * Root owns these files also without capabilities, and could take over the machine by them. While they are covered, the
 * kernel lets a sandbox inside this one mount no `/proc` of its own.
 */
const kernelSettings = ["/proc/sys", "/proc/sysrq-trigger", "/proc/bus", "/proc/fs", "/proc/irq"]

/** A user other than root: without capabilities, the kernel lets root make no user namespace. */
const ordinaryUser = (): ReadonlyArray<string> => (isRoot() ? splitFlags("--uid 1000 --gid 1000") : [])

type Mount = readonly ["system" | "readable" | "link" | "hidden" | "temporary" | "folder", string]

/** The flags of all mounts, outer folders first. Of two mounts at one path the later one counts. */
const makeMountFlags = ({ folder, hidden, readable }: SandboxView): ReadonlyArray<string> => {
  const unordered: ReadonlyArray<Mount> = [
    ...AgentFiles.system.map((path): Mount => ["system", path]),
    ["temporary", "/tmp"],
    ...readable.flatMap((path): ReadonlyArray<Mount> =>
      isFileLink(path) && !readable.some((other) => other !== path && AgentFiles.isWithin(other, path))
        ? [["link", path], ...realPathMounts("readable", path)]
        : [["readable", path]]
    ),
    ...hidden.flatMap((path): ReadonlyArray<Mount> => [["hidden", path], ...realPathMounts("hidden", path)]),
    ["folder", folder]
  ]
  const kindByPath = new Map(unordered.map(([kind, path]) => [path, kind]))
  const ordered = [...kindByPath].sort(([a], [b]) => (a < b ? -1 : 1))
  return [
    ...ordered.flatMap(([path, kind]) => mountFlags(kind, path)),
    // Last, because bubblewrap creates the mount points inside them first.
    ...ordered.flatMap(([path, kind]) => (kind === "hidden" ? ["--remount-ro", path] : []))
  ]
}

const mountFlags = (kind: Mount[0], path: string): ReadonlyArray<string> => {
  switch (kind) {
    case "system":
      return isLink(path) && Path.dirname(path) === "/"
        ? ["--symlink", Fs.readlinkSync(path), path]
        : ["--ro-bind-try", path, path]
    case "readable":
      return ["--ro-bind", path, path]
    // It stays a link, because a program finds its files relative to the target.
    case "link":
      return ["--symlink", Fs.realpathSync(path), path]
    case "temporary":
      return ["--size", String(tmpBytes), "--tmpfs", path]
    case "hidden":
      return ["--tmpfs", path]
    case "folder":
      return ["--bind", path, path]
  }
}

/** A mount at the real path, when a link leads there. */
const realPathMounts = (kind: Mount[0], path: string): ReadonlyArray<Mount> =>
  Fs.existsSync(path) && Fs.realpathSync(path) !== path ? [[kind, Fs.realpathSync(path)]] : []

const splitFlags = (flags: string): ReadonlyArray<string> => flags.split(" ")

const isLink = (path: string): boolean => Fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false

const isFileLink = (path: string): boolean =>
  isLink(path) && (Fs.statSync(path, { throwIfNoEntry: false })?.isFile() ?? false)

/** Both use memory; TMPDIR is in the task's folder and has more space. */
const tmpBytes = 256 * 1024 * 1024
const sharedMemoryBytes = 64 * 1024 * 1024
