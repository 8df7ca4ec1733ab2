import * as Post from "@heddle/bot/model/Post"
import type { Posted } from "@heddle/bot/store/Posts"

/** The row of a post whose message is in the thread. */
export const posted = (key: string, more: Partial<Posted> = {}): Posted => ({
  key,
  messageId: `m-${key}`,
  hash: "h",
  files: "",
  ...more
})

/** A post that says its key, or something else. */
export const post = (key: string, content = key) => Post.text(key, content)
