import { RESTJSONErrorCodes } from "discord.js"

/** Codes that Discord gives and the published list has not. */
const unlisted: Readonly<Record<number, string>> = {
  0: "every error without a code of its own (docs: topics/opcodes-and-status-codes, JSON error codes)",
  160_011: "a forward with content of its own (https://github.com/cgm-16/clip/issues/22)"
}

const listed: ReadonlySet<unknown> = new Set(Object.values(RESTJSONErrorCodes))

/** What is wrong with the body of a refusal: a code that Discord has not, or form errors in another shape. */
export const faultsOfError = (body: unknown): ReadonlyArray<{ readonly at: string; readonly message: string }> => {
  const { code, errors } = (body ?? {}) as { readonly code?: unknown; readonly errors?: unknown }
  const known = code === undefined || listed.has(code) || unlisted[Number(code)] !== undefined
  return [
    ...(known ? [] : [{ at: ".code", message: `Discord has no code ${String(code)}` }]),
    ...(errors === undefined ? [] : faultsOfForm(errors, ".errors"))
  ]
}

const faultsOfForm = (
  errors: unknown,
  at: string
): ReadonlyArray<{ readonly at: string; readonly message: string }> => {
  if (typeof errors !== "object" || errors === null || Array.isArray(errors) || Object.keys(errors).length === 0)
    return [{ at, message: "form errors are objects with something in them" }]
  return Object.entries(errors).flatMap(([key, below]: [string, unknown]) => {
    if (key !== "_errors") return faultsOfForm(below, `${at}.${key}`)
    const all = Array.isArray(below) && below.length > 0 && below.every(isFormError)
    return all ? [] : [{ at, message: "each form error has a code in capitals and a message" }]
  })
}

const isFormError = (value: unknown): boolean => {
  const { code, message } = (value ?? {}) as { readonly code?: unknown; readonly message?: unknown }
  return typeof code === "string" && /^[A-Z][A-Z0-9_]+$/.test(code) && typeof message === "string" && message !== ""
}
