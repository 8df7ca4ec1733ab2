/** The person and the channel on screen. The address has both, so that a reload returns to them. */
export interface Route {
  readonly person?: string | undefined
  readonly channel?: string | undefined
}

/** Reads the route from the hash of an address, `#/channel` or `#/channel/person`. */
export const readRoute = (hash: string): Route => {
  const [, channel, person] = /^#\/(\d+)?(?:\/(\d+))?$/.exec(hash) ?? []
  return { channel, person }
}

/** Writes the route as a hash. */
export const writeRoute = ({ channel = "", person }: Route): string =>
  `#/${channel}${person === undefined ? "" : `/${person}`}`
