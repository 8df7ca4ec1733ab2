import { mkdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { writeAtomically } from "./AtomicFile.ts"
import { StoredSession, type SessionState } from "./SessionState.ts"

/** The stored session exists but cannot be read. */
export class DamagedSession extends Error {
  override readonly name = "DamagedSession"
}

/** Reads a stored session; `undefined` when this id has none. Fails with {@link DamagedSession}. */
export const loadSession = async (cwd: string, sessionId: string): Promise<SessionState | undefined> => {
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(sessionId)) return undefined
  let text: string
  try {
    text = await readFile(fileOf(cwd, sessionId), "utf8")
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"))
      return undefined
    throw error
  }
  const parsed = StoredSession.safeParse(parseJson(text))
  if (!parsed.success || parsed.data.sessionId !== sessionId) throw new DamagedSession(sessionId)
  return parsed.data
}

/** Stores a session atomically. */
export const saveSession = async (cwd: string, session: SessionState): Promise<void> => {
  const file = fileOf(cwd, session.sessionId)
  await mkdir(join(cwd, FOLDER), { recursive: true })
  await writeAtomically(file, JSON.stringify(session))
}

const FOLDER = ".heddle-agent"

const fileOf = (cwd: string, sessionId: string): string => join(cwd, FOLDER, `${sessionId}.json`)

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // The schema rejects `undefined`, so invalid JSON counts as a damaged session.
    return undefined
  }
}
