/** One notification of a task's session: its place (from 1, in order), its method and its params as JSON text. */
export interface Entry<Params = string> {
  readonly seq: number
  readonly method: string
  readonly params: Params
}
