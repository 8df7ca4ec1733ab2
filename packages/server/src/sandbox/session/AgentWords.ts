import { field, isRecord, stringField } from "../../internal/Json.ts"
import type { UnitOfWork } from "../journal/UnitOfWork.ts"
import type { RelativePaths } from "./RelativePaths.ts"

/**
 * Publishes the agent's words with relative paths. A path comes in pieces, so the end of a piece that may begin one waits
 * for the next piece; anything else that is published, stored or sent comes after it.
 */
export const over = (inner: UnitOfWork, { inWords }: RelativePaths): UnitOfWork => {
  let before = ""
  let held: Words | undefined

  const say = (words: Words, final: boolean) => {
    const { text, held: rest } = inWords(words.text, before, final)
    before = (before + words.text.slice(0, words.text.length - rest.length)).slice(-1)
    held = rest === "" ? undefined : { ...words, text: rest }
    if (text !== "" || rest === "") inner.publish(words.method, withText(words, text))
  }
  const finish = () => {
    if (held !== undefined) say(held, true)
  }

  return {
    ...inner,
    publish: (method, params) => {
      const words = wordsOf(method, params)
      if (words === undefined) {
        finish()
        before = ""
        return inner.publish(method, params)
      }
      if (held !== undefined && held.message !== words.message) finish()
      say({ ...words, text: (held?.text ?? "") + words.text }, false)
    },
    write: (change) => {
      finish()
      inner.write(change)
    },
    afterCommit: (run) => {
      finish()
      inner.afterCommit(run)
    }
  }
}

/** A piece of what the agent says or thinks, and the message that it belongs to. */
interface Words {
  readonly method: string
  readonly params: object
  readonly message: string
  readonly text: string
}

const wordsOf = (method: string, params: object): Words | undefined => {
  const update = field(params, "update")
  const kind = stringField(update, "sessionUpdate") ?? ""
  const content = field(update, "content")
  const text = stringField(content, "text")
  if (method !== "session/update" || !/^agent_(message|thought)_chunk$/.test(kind) || text === undefined)
    return undefined
  return { method, params, message: `${kind} ${stringField(update, "messageId") ?? ""}`, text }
}

const withText = ({ params }: Words, text: string): object => {
  const update = field(params, "update")
  const content = field(update, "content")
  return isRecord(update) && isRecord(content)
    ? { ...params, update: { ...update, content: { ...content, text } } }
    : params
}
