import { randomUUID } from "node:crypto"
import { rename, rm, writeFile } from "node:fs/promises"

/** Writes a file in one step: a reader sees the old or the new content, never a part of it. */
export const writeAtomically = async (file: string, content: string | Uint8Array): Promise<void> => {
  const temporary = `${file}.${randomUUID()}.tmp`
  try {
    await writeFile(temporary, content)
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
