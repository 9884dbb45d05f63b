import { createHash } from 'node:crypto'

/** Signs reasoning. The format requires a signature and clients send it back; the server does not check it. */
export interface Signer {
  push(text: string): void
  /** Gives the signature of all pieces and ends the signer. */
  signature(): string
}

/** Creates a signer for one thinking block. The signature is a digest, equal for any pieces. */
export function createSigner(): Signer {
  const hash = createHash('sha256')
  return { push: (text) => void hash.update(text), signature: () => hash.digest('base64') }
}
