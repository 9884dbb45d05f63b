/** A `data:` URL in base64, taken apart. */
export interface DataUrl {
  /** In lower case, without parameters; undefined where none is written. */
  readonly mediaType: string | undefined
  /** As it stands there, not checked. */
  readonly base64: string
}

/** More than any media type with its parameters has. */
const MAX_HEAD_LENGTH = 512

/** Takes a `data:` URL (RFC 2397) apart; undefined for one that is not in base64, and for any other text. */
export function parseDataUrl(url: string): DataUrl | undefined {
  const head = /^data:([^,]*);\s*base64\s*,/i.exec(url.slice(0, MAX_HEAD_LENGTH))
  if (head === null) return undefined
  return { mediaType: essenceOf(head[1]), base64: url.slice(head[0].length) }
}

/** The `type/subtype` of a media type in lower case; undefined for a text that is none. */
export function essenceOf(mediaType = ''): string | undefined {
  const essence = mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return /^[^\s/]+\/[^\s/]+$/.test(essence) ? essence : undefined
}
