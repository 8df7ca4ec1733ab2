/** What one check found. None of it holds a secret. */
export interface Finding {
  /** What was looked at: a setting by its name, or a thing in one or two words. */
  readonly check: string
  /** `note`: the bot runs, but not as well as it could. */
  readonly status: "ok" | "note" | "failed"
  readonly text: string
  /** What to do about it. */
  readonly fix?: string
}

export const ok = (check: string, text: string): Finding => ({ check, status: "ok", text })

export const note = (check: string, text: string, fix: string): Finding => ({ check, status: "note", text, fix })

export const failed = (check: string, text: string, fix: string): Finding => ({ check, status: "failed", text, fix })

/** Words from elsewhere, in one line and without what a terminal would take for more than words. */
export const quoted = (words: string): string =>
  `“${words
    .replace(/[\p{C}\s]+/gu, " ")
    .trim()
    .slice(0, 100)}”`
