/** Changes bytes of a reply on their way to the client, for example to restore masked text. */
export interface ByteRewriter {
  push(bytes: Uint8Array): Uint8Array | readonly Uint8Array[]
  /** Returns the held bytes; called once, after the last `push`. */
  end(): Uint8Array | readonly Uint8Array[]
}

/** Rewrites a text of one character a byte; without a rewriter the text stays. */
export function rewriteText(rewriter: ByteRewriter | undefined, text: string): string {
  return rewriter === undefined ? text : toText(rewriter.push(Buffer.from(text, 'latin1')))
}

/** The bytes that a rewriter still holds. */
export function endRewrite(rewriter: ByteRewriter | undefined): string {
  return rewriter === undefined ? '' : toText(rewriter.end())
}

function toText(bytes: Uint8Array | readonly Uint8Array[]): string {
  if (bytes instanceof Uint8Array) {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  }
  return bytes.map(toText).join('')
}
