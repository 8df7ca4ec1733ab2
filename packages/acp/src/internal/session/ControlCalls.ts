import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type AcpError, ConnectionLost } from "../../AcpError.ts"
import type { Connection } from "../../Connection.ts"
import * as Wire from "../../schema/generated/AcpSchema.ts"
import * as SessionControls from "../../SessionControls.ts"
import { safeDecoder } from "../SafeDecode.ts"
import type { SessionStateRef } from "./SessionStateRef.ts"

/** What the calls need of their session. */
export interface Options {
  readonly connection: Effect.Effect<Connection>
  readonly sessionId: () => string | undefined
  readonly state: SessionStateRef
  /** Waits until the session is usable. */
  readonly ready: Effect.Effect<unknown, AcpError>
}

/** Chooses the mode, the model and the options of a session, and makes requests of extensions. */
export interface ControlCalls {
  readonly setMode: (modeId: string) => Effect.Effect<void, AcpError>
  readonly setModel: (modelId: string) => Effect.Effect<void, AcpError>
  readonly setConfigOption: (configId: string, value: string | boolean) => Effect.Effect<void, AcpError>
  readonly callExtension: (method: string, params: object) => Effect.Effect<unknown, AcpError>
}

/** Makes the calls of one session. */
export const make = ({ connection, ready, sessionId, state }: Options): ControlCalls => {
  /** Calls the agent. The same choice twice is one choice, so that a call whose connection broke is repeated. */
  const call = (method: string, params: object): Effect.Effect<unknown, AcpError> =>
    Effect.zipRight(ready, connection).pipe(
      Effect.flatMap(({ request }) => request(method, { sessionId: sessionId() ?? "", ...params })),
      Effect.timeoutFail({
        duration: "120 seconds",
        onTimeout: () => new ConnectionLost({ description: `The agent does not answer ${method}`, sent: true })
      }),
      Effect.retry({ times: 2, while: (error) => error._tag === "ConnectionLost" && error.reconnecting === true })
    )

  const setConfigOption = (configId: string, value: string | boolean) => {
    const type = typeof value === "boolean" ? { type: "boolean" } : {}
    return call("session/set_config_option", { configId, ...type, value }).pipe(
      Effect.map((answer) => {
        const configOptions = Option.map(readAnswer(answer), (read) => read.configOptions)
        state.set({
          configOptions: Option.getOrElse(configOptions, () => withValue(state.get().configOptions, configId, value))
        })
      }),
      Effect.withSpan("AcpSession.setConfigOption")
    )
  }

  const choose = (kind: "mode" | "model", value: string) =>
    Effect.suspend(() => {
      const configId = SessionControls.of(state.get())[kind]?.configId
      if (configId !== undefined) return setConfigOption(configId, value)
      return Effect.map(call(`session/set_${kind}`, { [`${kind}Id`]: value }), () => state.set({ [kind]: value }))
    })

  return {
    callExtension: call,
    setConfigOption,
    setMode: (modeId) => Effect.withSpan(choose("mode", modeId), "AcpSession.setMode"),
    setModel: (modelId) => Effect.withSpan(choose("model", modelId), "AcpSession.setModel")
  }
}

const readAnswer = safeDecoder(Wire.SetSessionConfigOptionResponse)

const withValue = (
  options: ReadonlyArray<Wire.SessionConfigOption>,
  configId: string,
  value: string | boolean
): ReadonlyArray<Wire.SessionConfigOption> =>
  options.map((option) =>
    "id" in option && option.id === configId ? ({ ...option, currentValue: value } as Wire.SessionConfigOption) : option
  )
