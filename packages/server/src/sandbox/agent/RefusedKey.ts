import { field, stringField } from "../../internal/Json.ts"

/** Follows what an agent reports of a refused key: not every agent repeats it in the error of its turn. */
export interface RefusedKey {
  /** Looks at a notification of the agent. */
  readonly note: (params: Readonly<Record<string, unknown>>) => void
  /** Forgets the reports of earlier turns. */
  readonly clear: () => void
  /** The last report since then. */
  readonly report: () => string | undefined
}

export const make = (): RefusedKey => {
  let report: string | undefined
  return {
    note: (params) => {
      const update = field(params, "update")
      if (stringField(update, "sessionUpdate") !== "notice") return
      const words = [stringField(update, "title"), stringField(update, "description")]
      const text = words.filter((word) => word !== undefined).join(": ")
      if (refusal.test(text)) report = text
    },
    clear: () => {
      report = undefined
    },
    report: () => report
  }
}

const refusal = /\b40[13]\b|unauthori[sz]ed|forbidden|api.?key|credential/i
