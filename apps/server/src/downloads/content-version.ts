import type { OutboundResponse } from '../outbound/response.ts'

/** Facts that an origin gives about the content behind a URL at one time. */
export interface ContentVersion {
  /** The entity tag as it came, also a weak one. */
  readonly etag?: string | undefined
  readonly lastModified?: string | undefined
  /** Size of the whole content. */
  readonly sizeBytes?: number | undefined
}

/** The version that a reply is of. @param sizeBytes of the whole content, where the reply has it */
export function readVersion({ headers }: Pick<OutboundResponse, 'headers'>, sizeBytes?: number): ContentVersion {
  return { etag: headers.etag, lastModified: headers['last-modified'], sizeBytes }
}

/**
 * Whether two versions are of the same bytes. A single fact that differs tells them apart; a strong entity tag, or the
 * time of the last change where there is no tag, shows that they are the same. Weak tags show nothing: their contents mean
 * the same, and may have other bytes.
 */
export function compareVersions(one: ContentVersion, other: ContentVersion): 'same' | 'other' | 'unknown' {
  if (differ(one.sizeBytes, other.sizeBytes)) return 'other'
  if (differ(toOpaque(one.etag), toOpaque(other.etag))) return 'other'
  if (differ(one.lastModified, other.lastModified)) return 'other'
  if (isStrong(one.etag) && isStrong(other.etag)) return 'same'
  const hasTag = one.etag !== undefined || other.etag !== undefined
  return !hasTag && one.lastModified !== undefined && other.lastModified !== undefined ? 'same' : 'unknown'
}

/** The value of `If-Range`: a strong entity tag, or the time of the last change. */
export function toValidator({ etag, lastModified }: ContentVersion): string | undefined {
  return isStrong(etag) ? etag : lastModified
}

function differ(one: string | number | undefined, other: string | number | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other
}

function toOpaque(etag: string | undefined): string | undefined {
  return etag?.replace(/^W\//, '')
}

function isStrong(etag: string | undefined): boolean {
  return etag !== undefined && !etag.startsWith('W/')
}

/** A part of a content, as `Content-Range` describes it. */
export interface ContentRange {
  readonly first: number
  readonly last: number
  /** Size of the whole content. */
  readonly totalBytes: number
}

/** The part that a reply says it is; undefined for any other text, also for one without the whole size. */
export function readContentRange({ headers }: Pick<OutboundResponse, 'headers'>): ContentRange | undefined {
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers['content-range'] ?? '') ?? []
  if (first === undefined) return undefined
  const range = { first: Number(first), last: Number(last), totalBytes: Number(total) }
  return range.first <= range.last && range.last < range.totalBytes ? range : undefined
}

/** The whole size in the reply to a part that is not there. */
export function readUnsatisfiedTotal({ headers }: Pick<OutboundResponse, 'headers'>): number | undefined {
  const [, total] = /^bytes \*\/(\d+)$/.exec(headers['content-range'] ?? '') ?? []
  return total === undefined ? undefined : Number(total)
}
