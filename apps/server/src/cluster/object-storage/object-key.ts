import { SvcError } from '@svc/errors'

const MAX_BYTES = 1024
const FORBIDDEN = /[\p{Cc}\p{Surrogate}]/u

/**
 * The path of an object below the address of its bucket, percent-encoded.
 *
 * @throws {SvcError} `invalid_request`, code `bad_object_key`, for a key that an address would change or that servers
 *   refuse
 */
export function toObjectPath(key: string): string {
  const names = key.split('/')
  // An address leaves out such names, so that another object would be meant.
  if (names.some((name) => name === '' || name === '.' || name === '..')) throw badKey('has an empty name or dots')
  if (FORBIDDEN.test(key)) throw badKey('has a forbidden character')
  if (Buffer.byteLength(key) > MAX_BYTES) throw badKey(`has more than ${MAX_BYTES} bytes`)
  return names.map(encode).join('/')
}

/** Encodes all but unreserved characters, as signatures do. */
export function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

const badKey = (what: string): SvcError =>
  new SvcError('invalid_request', `the key of the object ${what}`, { code: 'bad_object_key' })
