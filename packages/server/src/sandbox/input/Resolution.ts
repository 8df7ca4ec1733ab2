/** The result that the agent gets, and the word that the record keeps of it. */
export interface Resolution {
  readonly result: object
  readonly record: string
}
