import type { ByteRewriter } from './relay.ts'

/** What a rewriter makes of a text of one character a byte. */
export function rewrittenText(rewriter: ByteRewriter, text: string): string {
  return toText(rewriter.push(Buffer.from(text, 'latin1')))
}

/** What a rewriter still held. */
export function rewrittenEnd(rewriter: ByteRewriter): string {
  return toText(rewriter.end())
}

function toText(bytes: Uint8Array | readonly Uint8Array[]): string {
  if (bytes instanceof Uint8Array) {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  }
  return bytes.map(toText).join('')
}
