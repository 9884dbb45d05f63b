/** The parts of a `data:` URL in base64. */
export interface DataUrl {
  /** Media type in lower case, without parameters; undefined when the URL has none. */
  readonly mediaType: string | undefined
  /** The content as written in the URL, unchecked. */
  readonly base64: string
}

/** Exceeds every media type with its parameters. */
const MAX_HEAD_LENGTH = 512

/** Parses a `data:` URL (RFC 2397); undefined when it is not in base64, and for any other text. */
export function parseDataUrl(url: string): DataUrl | undefined {
  const head = /^data:([^,]*);\s*base64\s*,/i.exec(url.slice(0, MAX_HEAD_LENGTH))
  if (head === null) return undefined
  return { mediaType: toEssence(head[1]), base64: url.slice(head[0].length) }
}

/** Gives the `type/subtype` of a media type in lower case; undefined for other text. */
export function toEssence(mediaType = ''): string | undefined {
  const essence = mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return /^[^\s/]+\/[^\s/]+$/.test(essence) ? essence : undefined
}
