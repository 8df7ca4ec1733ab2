import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { field, stringField } from "../../internal/Json.ts"
import * as AgentUpdates from "./AgentUpdates.ts"
import type { Choices } from "./Choices.ts"
import * as ClientRequests from "./ClientRequests.ts"
import * as FileOffers from "./FileOffers.ts"
import * as ForwardedRequests from "./ForwardedRequests.ts"
import type { PendingRequests } from "../input/PendingRequests.ts"
import * as PromptBlocks from "./PromptBlocks.ts"
import type { McpServers } from "./McpServers.ts"
import * as Replies from "./Replies.ts"
import type { SandboxEvent } from "./SandboxEvent.ts"
import type { SessionArtifacts } from "../artifacts/SessionArtifacts.ts"
import type { SessionContext } from "./SessionContext.ts"
import type { Subscriber } from "../journal/Subscribers.ts"
import type { ToolCalls } from "./ToolCalls.ts"
import type { Turns } from "./Turns.ts"
import * as TurnStage from "./TurnStage.ts"

/** What the events of a session change. */
export interface SessionComponents {
  readonly turns: Turns
  readonly pending: PendingRequests
  readonly artifacts: SessionArtifacts
  readonly toolCalls: ToolCalls
  readonly choices: Choices
  readonly mcpServers: McpServers
}

type Handlers = {
  readonly [Tag in SandboxEvent["_tag"]]: (event: Extract<SandboxEvent, { readonly _tag: Tag }>) => void
}

/** Connects the clients of a task and its one agent: what each event of the session does. */
export const make = (context: SessionContext, components: SessionComponents): ((event: SandboxEvent) => void) => {
  const state: State = { stage: "none" }
  const forwarded = ForwardedRequests.make(context, components.choices)
  const isBusy = () => components.turns.isRunning() || forwarded.isWorking()
  const requests = ClientRequests.make(context, components, forwarded)
  const handlers: Handlers = {
    ...clientHandlers(context, components, requests, forwarded, state),
    ...agentHandlers(context, components, state),
    ...turnHandlers(context, components, state, isBusy),
    ...useHandlers(context, isBusy)
  }
  return (event) => (handlers[event._tag] as (event: SandboxEvent) => void)(event)
}

interface State {
  stage: TurnStage.TurnStage
}

type ClientEvent = "Started" | "Left" | "HistoryAsked" | "CaughtUp" | "Received" | "Reply" | "Chosen"

const clientHandlers = (
  context: SessionContext,
  components: SessionComponents,
  requests: ClientRequests.ClientRequests,
  forwarded: ForwardedRequests.ForwardedRequests,
  state: State
): Pick<Handlers, ClientEvent> => {
  const { notice, status, subscribers, taskId } = context
  const { pending, turns } = components

  const handleReceived = (subscriber: Subscriber, message: JsonRpc.Message, size: number) => {
    if (JsonRpc.isResponse(message)) {
      // It could wait for long in the agent's input; no answer of a person is so large.
      if (size > maxAnswerBytes) return
      if (pending.handleResponse(subscriber, message) === "refused by all") notice(notShownNotice)
      return showStatus(context, components, state)
    }
    if (JsonRpc.isRequest(message)) return requests.handle(subscriber, message, size)
    if (message.method === "session/cancel" && field(message.params, "sessionId") === taskId) {
      turns.cancel()
      return pending.cancelAll()
    }
    if (message.method !== "$/cancel_request") return
    const requestId = field(message.params, "requestId")
    if (!forwarded.withdraw(subscriber, requestId)) turns.withdraw(subscriber, requestId)
  }

  return {
    Started: ({ hold, prompt }) => {
      if (!hold) {
        const blocks = PromptBlocks.fromText(prompt)
        return void turns.prompt({ blocks, meta: undefined, size: prompt.length, requester: undefined })
      }
      status("idle")
    },
    Left: ({ subscriber }) => {
      forwarded.withdrawAll(subscriber)
      subscribers.leave(subscriber)
    },
    HistoryAsked: ({ id, subscriber }) => requests.load(subscriber, id),
    CaughtUp: ({ subscriber }) => pending.askPending(subscriber),
    Received: ({ message, size, subscriber }) => handleReceived(subscriber, message, size),
    Reply: ({ message, subscriber }) => Replies.reply(context, subscriber, message),
    Chosen: ({ choice, request, result, subscriber }) => {
      components.choices.handleChosen(choice, result)
      requests.answerChoice(subscriber, request, result)
    }
  }
}

type AgentEvent =
  | "AgentOpened"
  | "ChoiceWanted"
  | "ChoiceRestored"
  | "AgentSaid"
  | "PermissionAsked"
  | "PermissionWithdrawn"
  | "PermissionExpired"
  | "FilesChanged"
  | "PlanRead"
  | "LimitReached"
  | "WorkedOn"

const agentHandlers = (
  context: SessionContext,
  components: SessionComponents,
  state: State
): Pick<Handlers, AgentEvent> => {
  const { fork, historyLimit, memory, notice, offer, offerAfter, options, store, taskId, unitOfWork } = context
  const { artifacts, choices, pending, toolCalls, turns } = components
  const noteWork = FileOffers.makeAfterTurn(context, turns.isRunning)
  const handleNotification = AgentUpdates.make(context, components, (kind) => {
    if (workKinds.has(kind)) noteWork()
    const stage = TurnStage.afterUpdate(state.stage, kind)
    if (stage === state.stage) return
    state.stage = stage
    showStatus(context, components, state)
  })

  return {
    AgentOpened: ({ opened }) => {
      const { initializeResponse, agentSessionId, lostHistory, sessionInfo } = opened
      memory.initializeResponse = initializeResponse
      memory.hasOpened = true
      unitOfWork.write(store.saveAgent(taskId, { agentSessionId, initializeResponse }))
      choices.handleOpened(sessionInfo)
      if (lostHistory) {
        memory.knowsFolders = false
        notice(historyLostNotice)
      }
      offer({ _tag: "AgentAnswered" })
    },
    ChoiceWanted: ({ found }) => Deferred.unsafeDone(found, Effect.succeed(choices.nextDifference())),
    ChoiceRestored: ({ choice, result }) => choices.handleRestored(choice, result),
    AgentSaid: ({ method, params }) => {
      // What an agent wrote before it was stopped.
      if (historyLimit.isReached()) return
      handleNotification(method, params)
      const failure = historyLimit.check()
      if (failure !== undefined) turns.fail(failure)
    },
    PermissionAsked: ({ answer, inputRequest, permissionId }) => {
      state.stage = TurnStage.afterRequest(state.stage)
      artifacts.handlePermissionRequest(inputRequest.params)
      AgentUpdates.publishToolCall(context, toolCalls, inputRequest.params["toolCall"])
      if (!inputRequest.isAnswerable) {
        toolCalls.stop("cancelled", stringField(inputRequest.params["toolCall"], "toolCallId") ?? "")
        notice(noOptionsNotice)
        return unitOfWork.afterCommit(() => Deferred.unsafeDone(answer, Effect.succeed(inputRequest.cancellation)))
      }
      pending.ask(permissionId, inputRequest, answer)
      offerAfter(options.permission, { _tag: "PermissionExpired", permissionId })
      showStatus(context, components, state)
    },
    PermissionWithdrawn: ({ permissionId }) => {
      pending.withdraw(permissionId)
      showStatus(context, components, state)
    },
    PermissionExpired: ({ permissionId }) => {
      if (pending.expire(permissionId)) notice(timedOutNotice)
      showStatus(context, components, state)
    },
    FilesChanged: ({ changes }) => artifacts.applyFileChanges(changes),
    PlanRead: ({ text, uri }) => artifacts.putPlan(uri, text),
    LimitReached: ({ kind, text }) => {
      fork(Effect.annotateLogs(Effect.logWarning("not all artifacts are shown, or not soon", kind), { taskId }))
      notice(text, kind)
    },
    WorkedOn: ({ files }) => FileOffers.announce(context, { messageId: randomUUID() }, files)
  }
}

/** The updates of an agent that is at work. */
const workKinds: ReadonlySet<string | undefined> = new Set(["agent_message_chunk", "tool_call", "tool_call_update"])

type TurnEvent = "TurnDecided" | "CancelOverdue" | "TurnEnded"

const turnHandlers = (
  context: SessionContext,
  components: SessionComponents,
  state: State,
  isBusy: () => boolean
): Pick<Handlers, TurnEvent> => {
  const { artifacts, mcpServers, pending, turns } = components
  return {
    TurnDecided: ({ refusal, turn }) => {
      state.stage = refusal === undefined ? "begun" : "none"
      artifacts.beginTurn()
      turns.handleDecision(turn, refusal)
      // A prompt that was refused has noted a use of the agent.
      rest(context, isBusy)
    },
    CancelOverdue: ({ turn }) => turns.handleCancelOverdue(turn),
    TurnEnded: ({ files, outcome, turn }) => {
      state.stage = "none"
      pending.cancelAll()
      artifacts.endTurn(stringField(field(outcome, "result"), "stopReason"))
      FileOffers.announce(context, turn, files)
      // Before the next turn begins.
      mcpServers.handleTurnEnd()
      turns.handleEnd(turn, outcome)
      rest(context, isBusy)
    }
  }
}

type UseEvent = "AgentAnswered" | "AgentWanted" | "AgentUnused" | "AgentEnded"

const useHandlers = (context: SessionContext, isBusy: () => boolean): Pick<Handlers, UseEvent> => {
  const { fork, host, memory, unitOfWork } = context
  const stopUnlessBusy = () => {
    if (!isBusy()) fork(host.stop)
  }
  return {
    AgentAnswered: () => rest(context, isBusy),
    AgentWanted: stopUnlessBusy,
    AgentUnused: ({ useCount }) => {
      if (useCount === memory.useCount) stopUnlessBusy()
    },
    // Words whose end may begin a path are sent: no more follow.
    AgentEnded: () => unitOfWork.afterCommit(() => {})
  }
}

/** Moves the task to the status of its running turn. */
const showStatus = ({ status }: SessionContext, { pending, turns }: SessionComponents, { stage }: State) => {
  if (turns.isRunning()) status(TurnStage.statusOf(stage, pending.hasPending()))
}

/** Lets an agent without work rest: another one may take its place, and it stops when it is not used for a while. */
const rest = ({ memory, offerAfter, options, place }: SessionContext, isBusy: () => boolean) => {
  if (isBusy()) return
  const useCount = (memory.useCount += 1)
  place.rest()
  offerAfter(options.agentIdle, { _tag: "AgentUnused", useCount })
}

const maxAnswerBytes = 1024 * 1024

const historyLostNotice =
  "The agent was started anew and does not remember what was said before. Its files are still there; tell it again what it needs to know."

const notShownNotice = "No connected application could show the question, so it was not allowed."

const noOptionsNotice =
  "The agent asked for permission without an answer to choose, so nobody could allow it. It was told that the request is cancelled."

const timedOutNotice = "The question was not answered in time, so it was not allowed."
