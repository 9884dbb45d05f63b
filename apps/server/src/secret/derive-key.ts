import { hkdfSync } from 'node:crypto'
import type { ServerSecret } from './server-secret.ts'

/** Derives a key of 32 bytes from the secret of the server, another one for each purpose. */
export function deriveKey({ value }: Pick<ServerSecret, 'value'>, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', value, '', purpose, 32))
}
