/** A path of this service as browsers see it: below the path of the public URL. */
export const of = (publicUrl: string, path: string): string => prefix(publicUrl) + path

/** The path of the public URL without a trailing slash; usually empty. */
export const prefix = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/+$/, "")
