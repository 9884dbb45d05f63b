import { byteArray } from '../bytes.ts'
import { type FunctionTable, fixed } from '../function.ts'
import { sha1 } from '../hash/sha1.ts'
import { sha256 } from '../hash/sha256.ts'
import { sha512 } from '../hash/sha512.ts'

/** Checksums of a text, in hexadecimal, except for `adler32sum`, which is decimal. */
export const HASH_FUNCTIONS: FunctionTable = {
  sha1sum: fixed(['string'], ({ budget }, text) => {
    budget.spend(text.length / 4)
    return hex(sha1(byteArray(text)))
  }),
  sha256sum: fixed(['string'], ({ budget }, text) => {
    budget.spend(text.length / 4)
    return hex(sha256(byteArray(text)))
  }),
  sha512sum: fixed(['string'], ({ budget }, text) => {
    budget.spend(text.length)
    return hex(sha512(byteArray(text)))
  }),
  adler32sum: fixed(['string'], (_, text) => String(adler32(text))),
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function adler32(bytes: string): number {
  let low = 1
  let high = 0
  for (let at = 0; at < bytes.length; at++) {
    low = (low + bytes.charCodeAt(at)) % 65521
    high = (high + low) % 65521
  }
  return high * 65536 + low
}
