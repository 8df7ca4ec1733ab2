import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type AcpError, ConnectionLost } from "../../AcpError.ts"
import * as Wire from "../../schema/generated/AcpSchema.ts"
import * as SessionControls from "../../SessionControls.ts"
import { safeDecoder } from "../SafeDecode.ts"
import type { SessionCalls } from "./SessionCalls.ts"

/** Calls the agent. The same choice twice is one choice, so that a call whose connection broke is repeated. */
export const callExtension = (calls: SessionCalls, method: string, params: object): Effect.Effect<unknown, AcpError> =>
  calls.ready().pipe(
    Effect.flatMap(() => {
      const { connection, router } = calls.context
      return connection.request(method, { sessionId: router.sessionId ?? "", ...params })
    }),
    Effect.timeoutFail({
      duration: "120 seconds",
      onTimeout: () => new ConnectionLost({ description: `The agent does not answer ${method}`, sent: true })
    }),
    Effect.retry({ times: 2, while: (error) => error._tag === "ConnectionLost" && error.reconnecting === true })
  )

/** Sets an option of the agent. */
export const setConfigOption = (
  calls: SessionCalls,
  configId: string,
  value: string | boolean
): Effect.Effect<void, AcpError> => {
  const { state } = calls.context
  const type = typeof value === "boolean" ? { type: "boolean" } : {}
  return callExtension(calls, "session/set_config_option", { configId, ...type, value }).pipe(
    Effect.map((answer) => {
      const configOptions = Option.map(readAnswer(answer), (read) => read.configOptions)
      state.set({
        configOptions: Option.getOrElse(configOptions, () => withValue(state.get().configOptions, configId, value))
      })
    }),
    Effect.withSpan("AcpSession.setConfigOption")
  )
}

/** Chooses the mode or the model: as an option, or by the protocol's older request. */
export const choose = (calls: SessionCalls, kind: "mode" | "model", value: string): Effect.Effect<void, AcpError> =>
  Effect.suspend(() => {
    const { state } = calls.context
    const configId = SessionControls.of(state.get())[kind]?.configId
    if (configId !== undefined) return setConfigOption(calls, configId, value)
    return Effect.map(callExtension(calls, `session/set_${kind}`, { [`${kind}Id`]: value }), () =>
      state.set({ [kind]: value })
    )
  }).pipe(Effect.withSpan(kind === "mode" ? "AcpSession.setMode" : "AcpSession.setModel"))

const readAnswer = safeDecoder(Wire.SetSessionConfigOptionResponse)

const withValue = (
  options: ReadonlyArray<Wire.SessionConfigOption>,
  configId: string,
  value: string | boolean
): ReadonlyArray<Wire.SessionConfigOption> =>
  options.map((option) =>
    "id" in option && option.id === configId ? ({ ...option, currentValue: value } as Wire.SessionConfigOption) : option
  )
