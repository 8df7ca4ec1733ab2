import type { AnswerRecord } from "./acp/ChannelEndpoints.ts"
import type { RequestRecord } from "./http/Exchanges.ts"
import type { FaultRule } from "./http/Faults.ts"
import type { Application } from "./oauth/Application.ts"
import type { TokenResponse } from "./oauth/Grants.ts"
import type { Scope } from "./oauth/Scope.ts"
import type { LocalAssistant } from "./person/LocalAssistant.ts"
import type { Voucher } from "./person/Vouchers.ts"
import type { Readings } from "./Readings.ts"
import type { Script } from "./rounds/Round.ts"
import type { Artifact, ArtifactEvent } from "./tasks/Artifacts.ts"
import type { RoundRecord } from "./rounds/Rounds.ts"
import type { TaskStatus } from "./tasks/TaskStatus.ts"

/** How a service begins: its script, its port, and readings that differ from the usual ones. */
export interface PlainServiceOptions extends Partial<Readings> {
  /** Says "Echo: " and the prompt when omitted. */
  readonly script?: Script
  /** Any free port when omitted. */
  readonly port?: number
  readonly redirectUris?: ReadonlyArray<string>
}

/** What a test sees of a task. */
export interface TaskRecord {
  readonly taskId: string
  readonly name: string
  readonly status: TaskStatus
  readonly prompt: string
  readonly person: string
  /** How many streams are open. */
  readonly connections: number
}

/** A running service, in the hands of a test. */
export interface PlainService {
  readonly url: string
  readonly application: Application
  readonly readings: Readings
  /** Every prompt that really ran. */
  readonly rounds: ReadonlyArray<RoundRecord>
  /** Every request that arrived. */
  readonly requests: ReadonlyArray<RequestRecord>
  /** Every answer to a request of the service. */
  readonly answers: ReadonlyArray<AnswerRecord>
  /** The assistant of the person who is signed in. */
  readonly assistant: LocalAssistant
  readonly tasks: () => ReadonlyArray<TaskRecord>
  readonly setReadings: (changed: Partial<Readings>) => void
  /** Tokens without the authorize page: all scopes of the application when omitted. */
  readonly grant: (scopes?: ReadonlyArray<Scope>) => TokenResponse
  readonly revokeTokens: (what: "access" | "all") => void
  /** Ends the tokens of all sandboxes. */
  readonly revokeTickets: () => void
  readonly addVoucher: (voucher: Voucher) => void
  readonly setTaskStatus: (taskId: string, status: TaskStatus) => void
  readonly putArtifact: (taskId: string, event: ArtifactEvent, artifact: Artifact, bytes?: Uint8Array) => void
  /** Gives the function that removes the rule. */
  readonly addFault: (rule: FaultRule) => () => void
  readonly clearFaults: () => void
  /** Cuts every stream, by a reset unless "end" is given. */
  readonly cutStreams: (how?: "end" | "reset") => void
  /** Stops, and starts again on the same port; only connections are lost. */
  readonly restart: () => Promise<void>
  readonly stop: () => Promise<void>
  readonly start: () => Promise<void>
}
