/** Distinguishes values without showing them: 8 lower-case hex digits. */
export type HashPrefix = (value: string) => Promise<string>

const HEX_DIGITS = 8

/**
 * Returns the first digits of the SHA-256 of a value's UTF-8: equal values have equal prefixes everywhere, and other
 * tools compute the same. The 32 bits of an easily guessed value can be guessed: show them to administrators only, or
 * give a key, which makes it an HMAC that only the key's owner can compute.
 */
export function createHashPrefix({ key }: { readonly key?: Uint8Array<ArrayBuffer> | undefined } = {}): HashPrefix {
  const { subtle } = crypto
  const encoder = new TextEncoder()
  const importing =
    key === undefined ? undefined : subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return async (value) => {
    const bytes = encoder.encode(value)
    const hash = importing === undefined ? subtle.digest('SHA-256', bytes) : subtle.sign('HMAC', await importing, bytes)
    return toHex(new Uint8Array(await hash)).slice(0, HEX_DIGITS)
  }
}

/** Bytes as lower-case hex digits. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
