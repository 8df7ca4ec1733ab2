/** The one application that is registered (1). */
export interface Application {
  readonly clientId: string
  readonly clientSecret: string
  readonly redirectUris: ReadonlyArray<string>
}
