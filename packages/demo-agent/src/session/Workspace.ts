import * as Language from "../format/Language.ts"
import { mkdir, readFile, realpath, stat, writeFile } from "node:fs/promises"
import { basename, extname, isAbsolute, join, relative, resolve, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { UnreadableData } from "../data/UnreadableData.ts"
import { safeName, type Attachment } from "./Attachment.ts"

/** The largest file that is read. */
export const MAX_FILE_BYTES = 128 * 1024 * 1024

/** The folder for data of the person. */
const ATTACHMENTS = "attachments"

/** A file of the working directory, with its path there. */
export interface WorkingFile extends Attachment {
  readonly file: string
}

/** Reads a linked file inside the working directory; symbolic links must not lead out of it. */
export const readLinkedFile = async (cwd: string, uri: string): Promise<WorkingFile> => {
  const displayName = basename(uri.replace(/[?#].*$/s, "")) || uri
  if (!/^file:/i.test(uri) && /^[a-z][a-z0-9+.-]+:/i.test(uri)) {
    throw unreadable(
      `I have no network, so I cannot fetch ${displayName}. Attach the file or paste its text.`,
      `我没有网络，无法获取 ${displayName}。请附上文件或粘贴其内容。`
    )
  }
  const path = pathOf(uri)
  if (path === undefined)
    throw unreadable(`I do not understand the address of ${displayName}.`, `我看不懂 ${displayName} 的地址。`)
  const file = resolve(cwd, path)
  if (!isInside(resolve(cwd), file))
    throw unreadable(
      `${displayName} is outside my working directory, so I did not read it.`,
      `${displayName} 在我的工作目录之外，所以我没有读取。`
    )
  const bytes = await readInside(cwd, file)
  if (bytes === undefined)
    throw unreadable(
      `There is no file ${displayName} in my working directory.`,
      `我的工作目录里没有文件 ${displayName}。`
    )
  return { name: basename(file), file: relative(resolve(cwd), file).split(sep).join("/"), bytes }
}

/** Reads a file of the working directory by its path there; `undefined` when there is none. */
export const readStoredFile = async (cwd: string, file: string): Promise<Uint8Array | undefined> =>
  isInside(resolve(cwd), resolve(cwd, file)) ? readInside(cwd, resolve(cwd, file)) : undefined

/** Finds a file by its name in the working directory or among the attached files; `undefined` when there is none. */
export const findFile = async (
  cwd: string,
  name: string
): Promise<{ readonly file: string; readonly bytes: Uint8Array } | undefined> => {
  const safe = safeName(name, "data")
  for (const file of [safe, `${ATTACHMENTS}/${safe}`]) {
    const bytes = await readInside(cwd, join(cwd, file))
    if (bytes !== undefined) return { file, bytes }
  }
  return undefined
}

/** Stores data with the attached files under a safe name; returns its path. Equal content is stored once. */
export const storeData = async (cwd: string, data: Attachment, fallback: string): Promise<string> => {
  await mkdir(join(cwd, ATTACHMENTS), { recursive: true })
  const fileName = safeName(data.name, fallback)
  const extension = extname(fileName)
  const stem = fileName.slice(0, fileName.length - extension.length)
  for (let n = 1; ; n++) {
    const name = n === 1 ? fileName : `${stem}-${n}${extension}`
    const file = join(cwd, ATTACHMENTS, name)
    try {
      await writeFile(file, data.bytes, { flag: "wx" })
      return `${ATTACHMENTS}/${name}`
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error
      const existing = await readInside(cwd, file).catch(() => undefined)
      if (existing !== undefined && Buffer.compare(existing, data.bytes) === 0) return `${ATTACHMENTS}/${name}`
    }
  }
}

const pathOf = (uri: string): string | undefined => {
  if (!/^file:/i.test(uri)) return uri
  try {
    return fileURLToPath(uri)
  } catch {
    // A file URL with another host or an encoded slash names no local file.
    return undefined
  }
}

const readInside = async (cwd: string, file: string): Promise<Uint8Array | undefined> => {
  try {
    const real = await realpath(file)
    if (!isInside(await realpath(cwd), real))
      throw unreadable(
        `${basename(file)} points outside my working directory, so I did not read it.`,
        `${basename(file)} 指向我的工作目录之外，所以我没有读取。`
      )
    const info = await stat(real)
    if (!info.isFile()) throw unreadable(`${basename(file)} is not a file.`, `${basename(file)} 不是文件。`)
    if (info.size > MAX_FILE_BYTES)
      throw unreadable(
        `${basename(file)} is larger than the ${MAX_FILE_BYTES / 1024 / 1024} MB I can read.`,
        `${basename(file)} 超过了我能读取的 ${MAX_FILE_BYTES / 1024 / 1024} MB。`
      )
    return await readFile(real)
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(String(errorCode(error)))) return undefined
    if (errorCode(error) === "EACCES")
      throw unreadable(`I am not allowed to read ${basename(file)}.`, `我没有权限读取 ${basename(file)}。`)
    throw error
  }
}

const isInside = (folder: string, file: string): boolean => {
  const path = relative(folder, file)
  return path !== "" && path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path)
}

const unreadable = (english: string, chinese: string): UnreadableData =>
  new UnreadableData(Language.text(english, chinese))

const errorCode = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined)
