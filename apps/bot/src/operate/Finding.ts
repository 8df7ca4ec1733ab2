/** The result of one check, without secrets. */
export interface Finding {
  /** The subject: a setting by name, or a thing in one or two words. */
  readonly check: string
  /** `note`: the bot works, but with restrictions. */
  readonly status: "ok" | "note" | "failed"
  readonly text: string
  /** The remedy. */
  readonly fix?: string
}

export const ok = (check: string, text: string): Finding => ({ check, status: "ok", text })

export const note = (check: string, text: string, fix: string): Finding => ({ check, status: "note", text, fix })

export const failed = (check: string, text: string, fix: string): Finding => ({ check, status: "failed", text, fix })

/** Foreign text in one line, without terminal control characters. */
export const quote = (words: string): string =>
  `“${words
    .replace(/[\p{C}\s]+/gu, " ")
    .trim()
    .slice(0, 100)}”`
