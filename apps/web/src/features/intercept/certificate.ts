/** The time in which a certificate is valid. */
export interface Validity {
  readonly from: Date
  readonly until: Date
}

/** Reads the bytes of the first certificate of a PEM text. @throws Error for a text without a certificate */
export function readPem(pem: string): Uint8Array<ArrayBuffer> {
  const found = /-----BEGIN CERTIFICATE-----([\s\S]*?)-----END CERTIFICATE-----/.exec(pem)
  if (found === null) throw new Error('the text holds no certificate')
  return Uint8Array.from(atob((found[1] ?? '').replace(/\s/g, '')), (character) => character.charCodeAt(0))
}

/**
 * The SHA-256 of a certificate as tools write it, such as `4C:15:…`; undefined where the browser offers no hashes: on a
 * page without TLS of another machine.
 */
export async function computeFingerprint(certificate: Uint8Array<ArrayBuffer>): Promise<string | undefined> {
  // the types promise it everywhere
  const subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle
  if (subtle === undefined) return undefined
  const hash = new Uint8Array(await subtle.digest('SHA-256', certificate))
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0').toUpperCase()).join(':')
}

/** One element of DER. */
interface Element {
  readonly tag: number
  readonly content: Uint8Array
  /** Offset at which the next one begins. */
  readonly end: number
}

const SEQUENCE = 0x30
const VERSION = 0xa0
const UTC_TIME = 0x17

/** Reads the validity of a certificate in DER. @throws Error for other bytes */
export function readValidity(certificate: Uint8Array): Validity {
  const signed = readElement(readElement(certificate, 0, SEQUENCE).content, 0, SEQUENCE).content
  // version (optional), serial number, signature, issuer, validity
  let position = signed[0] === VERSION ? readElement(signed, 0).end : 0
  for (let skipped = 0; skipped < 3; skipped += 1) position = readElement(signed, position).end
  const validity = readElement(signed, position, SEQUENCE).content
  const from = readElement(validity, 0)
  return { from: readTime(from), until: readTime(readElement(validity, from.end)) }
}

function readElement(bytes: Uint8Array, start: number, expected?: number): Element {
  const tag = bytes[start]
  let length = bytes[start + 1] ?? 0
  let position = start + 2
  if (length >= 0x80) {
    const size = length & 0x7f
    length = 0
    for (const byte of bytes.subarray(position, position + size)) length = length * 256 + byte
    position += size
  }
  const end = position + length
  if (tag === undefined || end > bytes.length || (expected !== undefined && tag !== expected))
    throw new Error('the bytes are no certificate')
  return { tag, content: bytes.subarray(position, end), end }
}

/** Years of two digits from 50 on are in the twentieth century. */
function readTime({ tag, content }: Element): Date {
  const text = new TextDecoder().decode(content)
  const full = tag === UTC_TIME ? `${Number(text.slice(0, 2)) < 50 ? '20' : '19'}${text}` : text
  const parts = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/.exec(full)
  if (parts === null) throw new Error('the bytes are no certificate')
  const [year = 0, month = 1, day, hour, minute, second] = parts.slice(1).map(Number)
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second))
}
