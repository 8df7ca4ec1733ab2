/** Is where a person is: who they are and the channel they look at. It lives in the address, so a reload returns. */
export interface Place {
  readonly person?: string | undefined
  readonly channel?: string | undefined
}

/** Reads the place from an address's hash, `#/channel` or `#/channel/person`. */
export const readPlace = (hash: string): Place => {
  const [, channel, person] = /^#\/(\d+)?(?:\/(\d+))?$/.exec(hash) ?? []
  return { channel, person }
}

/** Writes the place as a hash. */
export const writePlace = (place: Place): string =>
  `#/${place.channel ?? ""}${place.person === undefined ? "" : `/${place.person}`}`
