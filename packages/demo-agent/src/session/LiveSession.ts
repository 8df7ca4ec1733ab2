import type { Data } from "../data/DataFile.ts"
import type { SessionState } from "./SessionState.ts"

/** A session while its process runs. */
export interface LiveSession {
  readonly state: SessionState
  readonly cwd: string
  /** The data of the session once it was read in this process. */
  data: Data | undefined
}
