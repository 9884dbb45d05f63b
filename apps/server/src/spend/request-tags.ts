import { SvcError } from '@svc/errors'

/** The header with the tags of a request. */
export const TAGS_HEADER = 'x-svc-tags'

const MAX_TAGS = 16
const MAX_VALUE_LENGTH = 64
/** The form of a tag's name. */
export const TAG_NAME = /^[a-z0-9_.-]{1,32}$/
/** The longest header with as many tags as there may be. */
const MAX_HEADER_LENGTH = MAX_TAGS * (32 + 1 + MAX_VALUE_LENGTH + 2)
/** Space, the visible letters of ASCII and those of Latin-1. */
const VALUE = /^[\x20-\x7e\xa0-\xff]*$/

/**
 * Reads the tags of a request: `team=a,feature=b`. Spaces around names and values do not count.
 *
 * @returns no tags without a header
 * @throws {SvcError} `invalid_request` with code `invalid_tags`: a name that is not of 1 to 32 characters from
 *   `a-z0-9_.-`, a name that comes twice, a value of more than 64 characters, more than 16 tags
 */
export function readRequestTags(header: string | undefined): Readonly<Record<string, string>> {
  const tags: Record<string, string> = Object.create(null)
  if (header === undefined || header.trim() === '') return tags
  if (header.length > MAX_HEADER_LENGTH) throw refuse(`is longer than ${MAX_HEADER_LENGTH} characters`)
  const pairs = header.split(',')
  if (pairs.length > MAX_TAGS) throw refuse(`has more than ${MAX_TAGS} tags`)
  for (const [index, pair] of pairs.entries()) {
    const at = pair.indexOf('=')
    const [name, value] = [pair.slice(0, Math.max(at, 0)).trim(), pair.slice(at + 1).trim()]
    const place = `tag ${index + 1}`
    if (at < 0) throw refuse(`${place} must be name=value`)
    if (!TAG_NAME.test(name)) throw refuse(`${place}: a name has 1 to 32 of the characters a-z, 0-9, _, . and -`)
    if (value.length > MAX_VALUE_LENGTH) throw refuse(`${place}: a value has at most ${MAX_VALUE_LENGTH} characters`)
    if (!VALUE.test(value)) throw refuse(`${place}: a value has no control characters`)
    if (name in tags) throw refuse(`${place}: the name "${name}" comes twice`)
    tags[name] = value
  }
  return tags
}

function refuse(reason: string): SvcError {
  return new SvcError('invalid_request', `${TAGS_HEADER}: ${reason}`, {
    code: 'invalid_tags',
    details: { type: 'invalid_request_error', param: TAGS_HEADER },
  })
}
