import type { Trust } from '../outbound/failures.ts'

/** Where the bytes of a file come from. */
export interface DownloadSource {
  readonly url: string
  /** `operator` for an address of the configuration; `public` for one in a document or a request. */
  readonly trust: Trust
  /** The value of `Authorization`, and the only origin that gets it. */
  readonly credentials?: { readonly origin: string; readonly authorization: string } | undefined
}

/** Facts that a name in the messages of users may show: no query, which may hold a signature. */
export function describeSource({ url }: DownloadSource): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}
