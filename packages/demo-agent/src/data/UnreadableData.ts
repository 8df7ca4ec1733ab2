/** Data that the agent may not or cannot read; the message is a sentence for the person. */
export class UnreadableData extends Error {
  override readonly name = "UnreadableData"
}
