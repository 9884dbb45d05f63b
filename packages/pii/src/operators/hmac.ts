import { sha256 } from '../sha256.ts'

const BLOCK = 64

/** HMAC with SHA-256 of a text (RFC 2104), as hex digits. Synchronous, unlike Web Crypto's. */
export function hmacSha256(key: string, text: string): string {
  const encoder = new TextEncoder()
  const given = encoder.encode(key)
  const block = new Uint8Array(BLOCK)
  block.set(given.length > BLOCK ? sha256(given) : given)
  const inner = sha256(
    join(
      block.map((byte) => byte ^ 0x36),
      encoder.encode(text),
    ),
  )
  const outer = sha256(
    join(
      block.map((byte) => byte ^ 0x5c),
      inner,
    ),
  )
  return Array.from(outer, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function join(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}
