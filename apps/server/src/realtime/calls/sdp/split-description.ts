import { SvcError } from '@svc/errors'

/** Largest description, bytes. */
export const MAX_SDP_BYTES = 64 * 1024
const MAX_LINES = 1000
const MAX_SECTIONS = 16
const LINE = /^([a-z])=(\P{Cc}*)$/u

/** An attribute: a line `a=name:value`. */
export interface Attribute {
  readonly name: string
  readonly value: string | undefined
}

/** A part of a description. */
export interface Section {
  readonly attributes: readonly Attribute[]
}

/** A part that describes media. */
export interface Media extends Section {
  readonly kind: string
  readonly protocol: string
  readonly formats: readonly string[]
}

/**
 * Splits a session description into its parts (RFC 8866).
 *
 * @throws {SvcError} `invalid_request` with the code `invalid_sdp`
 */
export function splitDescription(text: string): { readonly session: Section; readonly media: readonly Media[] } {
  if (Buffer.byteLength(text) > MAX_SDP_BYTES) throw invalidSdp(`it is larger than ${MAX_SDP_BYTES} bytes`)
  const lines = text.split(/\r?\n/).filter((line) => line !== '')
  if (lines.length > MAX_LINES) throw invalidSdp(`it has more than ${MAX_LINES} lines`)
  if (lines[0] !== 'v=0') throw invalidSdp('it does not begin with v=0')
  const session: Attribute[] = []
  const media: (Omit<Media, 'attributes'> & { readonly attributes: Attribute[] })[] = []
  for (const line of lines) {
    const [, type, value = ''] = LINE.exec(line) ?? []
    if (type === undefined) throw invalidSdp('a line of it is not a letter, = and a value')
    if (type === 'm') media.push({ ...readMediaLine(value), attributes: [] })
    else if (type === 'a') (media.at(-1)?.attributes ?? session).push(readAttribute(value))
    if (media.length > MAX_SECTIONS) throw invalidSdp(`it has more than ${MAX_SECTIONS} parts`)
  }
  return { session: { attributes: session }, media }
}

function readMediaLine(value: string): Omit<Media, 'attributes'> {
  const [kind = '', , protocol = '', ...formats] = value.split(' ')
  return { kind, protocol, formats }
}

function readAttribute(text: string): Attribute {
  const at = text.indexOf(':')
  return at < 0 ? { name: text, value: undefined } : { name: text.slice(0, at), value: text.slice(at + 1).trim() }
}

function invalidSdp(reason: string): SvcError {
  return new SvcError('invalid_request', `the SDP offer is damaged: ${reason}`, { code: 'invalid_sdp' })
}
