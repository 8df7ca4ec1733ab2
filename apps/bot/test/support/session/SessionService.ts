import { randomUUID } from "node:crypto"
import { startPlainService } from "@heddle/plain-service"
import { startFakeService } from "../FakeService.ts"
import type { ScriptedAgent } from "./ScriptedAgent.ts"

/** A service at which a session is played, and its own record of it. */
export interface SessionService {
  readonly url: string
  readonly application: { readonly clientId: string; readonly clientSecret: string }
  readonly permitCallback: (url: string) => void
  /** Whether a kill may leave something of which no outcome can be known. */
  readonly leavesDoubts: boolean
  /** The prompts of the tasks that were created. */
  readonly tasks: () => ReadonlyArray<string>
  /** The prompts that ran. */
  readonly prompts: () => ReadonlyArray<string>
  /** The answers that an agent got to its requests. */
  readonly answers: () => ReadonlyArray<unknown>
  /** What arrived last, for the message of a failure. */
  readonly lastRequests: () => ReadonlyArray<string>
  readonly cutStreams: () => void
  readonly endTokens: () => void
  readonly setDown: (isDown: boolean) => void
  readonly close: () => Promise<void>
}

/** Starts a service whose agents play a script. */
export type StartService = (agent: ScriptedAgent) => Promise<SessionService>

/** A service that keeps idempotency keys, replays everything, and repeats its requests on a new connection. */
export const startOwn: StartService = async (agent) => {
  const service = await startFakeService((turn) =>
    agent({
      ...turn,
      artifact: (event, artifact, bytes) => {
        if (bytes !== undefined) service.files.set(artifact.uri, bytes)
        turn.artifact(event, artifact)
      }
    })
  )
  return {
    url: service.url,
    application: { clientId: "app", clientSecret: "secret" },
    permitCallback: () => {},
    leavesDoubts: false,
    tasks: () => [...service.tasks.values()].map(({ prompt }) => prompt),
    prompts: () => service.prompts,
    answers: () => service.answers,
    lastRequests: () => service.requests.slice(-12),
    cutStreams: service.cutStreams,
    endTokens: () => {
      service.state.token = `ended-${randomUUID()}`
    },
    setDown: (isDown) => {
      service.state.down = isDown
    },
    close: service.close
  }
}

/** A service that knows the document alone: without keys, without user messages in replays, without repeated requests. */
export const startPlain: StartService = async (agent) => {
  const redirectUris: Array<string> = []
  const service = await startPlainService({
    redirectUris,
    // A request whose connection is gone is over then, and the agent asks again.
    permissionTimeoutMs: 40_000,
    // A cancelled turn ends by its script.
    cancelGraceMs: 120_000,
    // The usage is in the response to a prompt, which is lost with its connection.
    usage: "empty",
    script: async (round) => {
      const stopped = new Promise<void>((resolve) => round.signal.addEventListener("abort", () => resolve()))
      const stopReason = await agent({
        ...round,
        cancelled: stopped,
        request: async (method, params) => {
          const answer = await round.request(method, { sessionId: round.taskId, ...params })
          return answer !== "cancelled" && "result" in answer ? answer.result : undefined
        }
      })
      return { stopReason }
    }
  })
  let endOutage = () => {}
  return {
    url: service.url,
    application: service.application,
    permitCallback: (url) => void redirectUris.push(url),
    leavesDoubts: true,
    tasks: () => service.tasks().map(({ prompt }) => prompt),
    prompts: () => service.rounds.map(({ text }) => text),
    answers: () =>
      service.answers.flatMap(({ accepted, answer }) =>
        accepted && answer !== "cancelled" && "result" in answer ? [answer.result] : []
      ),
    lastRequests: () =>
      service.requests
        .slice(-12)
        .map(({ method, path, rpcMethod, status }) =>
          [method, path, rpcMethod, status].filter((part) => part !== undefined).join(" ")
        ),
    cutStreams: () => service.cutStreams(),
    endTokens: () => service.revokeTokens("access"),
    setDown: (isDown) => {
      endOutage()
      endOutage = isDown ? service.addFault({ when: "before", effect: { status: 503 }, times: Infinity }) : () => {}
    },
    close: service.stop
  }
}
