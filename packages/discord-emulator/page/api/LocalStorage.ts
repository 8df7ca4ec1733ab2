import { type Draft, type State, emptyDraft } from "../model/State.ts"

const DRAFTS = "drafts"
const THEME = "theme"
const DISMISSED = "dismissed"
const MEMBERS = "members"
const MAX_DISMISSED = 200

/** How the page looks; `system` follows the machine. */
export type Theme = "system" | "dark" | "light"

/** Reads the texts that were not sent before this tab was reloaded. Files cannot be kept by a browser. */
export const readDrafts = (): State["drafts"] => {
  const stored = sessionStorage.getItem(DRAFTS)
  if (stored === null) return {}
  const texts = JSON.parse(stored) as Record<string, string>
  return Object.fromEntries(
    Object.entries(texts).map(([channel, text]): [string, Draft] => [channel, { ...emptyDraft, text }])
  )
}

/** Keeps the texts that are not sent yet, for this tab only. */
export const writeDrafts = (drafts: State["drafts"]): void => {
  const texts = Object.entries(drafts).filter(([, draft]) => draft.text !== "")
  sessionStorage.setItem(
    DRAFTS,
    JSON.stringify(Object.fromEntries(texts.map(([channel, { text }]) => [channel, text])))
  )
}

/** Reads which messages were dismissed in this tab: the server would show them again. */
export const readDismissed = (): ReadonlySet<string> => {
  const stored = sessionStorage.getItem(DISMISSED)
  return new Set(stored === null ? [] : (JSON.parse(stored) as ReadonlyArray<string>))
}

/** Keeps a message dismissed, for this tab. */
export const writeDismissed = (message: string): void => {
  const dismissed = [...readDismissed(), message].slice(-MAX_DISMISSED)
  sessionStorage.setItem(DISMISSED, JSON.stringify(dismissed))
}

/** Reads the chosen theme. */
export const readTheme = (): Theme => {
  const stored = localStorage.getItem(THEME)
  return stored === "dark" || stored === "light" ? stored : "system"
}

/** Applies a theme and stores it. */
export const applyTheme = (theme: Theme): void => {
  localStorage.setItem(THEME, theme)
  if (theme === "system") delete document.documentElement.dataset["theme"]
  else document.documentElement.dataset["theme"] = theme
}

/** Reads whether the list of members is shown. */
export const readMembersShown = (): boolean => localStorage.getItem(MEMBERS) === "shown"

/** Keeps whether the list of members is shown. */
export const writeMembersShown = (shown: boolean): void => localStorage.setItem(MEMBERS, shown ? "shown" : "hidden")
