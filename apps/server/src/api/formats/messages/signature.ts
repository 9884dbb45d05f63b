import { createHash } from 'node:crypto'

/** Makes the signature of a thought: the format wants one, clients hand it back, and nobody here checks it. */
export interface Signer {
  push(text: string): void
  /** The signature of all pieces; ends the signer. */
  signature(): string
}

/** A signer for one thought: its digest, the same whether it came whole or in pieces. */
export function createSigner(): Signer {
  const hash = createHash('sha256')
  return { push: (text) => void hash.update(text), signature: () => hash.digest('base64') }
}
