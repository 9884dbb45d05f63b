/** Changes bytes of a reply on their way to the client, such as restoring what was masked in the request. */
export interface ByteRewriter {
  push(bytes: Uint8Array): Uint8Array | readonly Uint8Array[]
  /** What it still held; called once, after the last `push`. */
  end(): Uint8Array | readonly Uint8Array[]
}

/** What a rewriter makes of a text of one character a byte; without one the text itself. */
export function rewrittenText(rewriter: ByteRewriter | undefined, text: string): string {
  return rewriter === undefined ? text : toText(rewriter.push(Buffer.from(text, 'latin1')))
}

/** What a rewriter still held. */
export function rewrittenEnd(rewriter: ByteRewriter | undefined): string {
  return rewriter === undefined ? '' : toText(rewriter.end())
}

function toText(bytes: Uint8Array | readonly Uint8Array[]): string {
  if (bytes instanceof Uint8Array) {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  }
  return bytes.map(toText).join('')
}
