import type * as Language from "../format/Language.ts"
import type { Data } from "../data/DataFile.ts"
import type { SessionState } from "./SessionState.ts"

/** Data that was read; its notes are in a language. */
export interface LiveData {
  readonly data: Data
  readonly language: Language.Language
}

/** A session while its process runs. */
export interface LiveSession {
  readonly state: SessionState
  readonly cwd: string
  /** The data of the session once it was read in this process. */
  data: LiveData | undefined
}
