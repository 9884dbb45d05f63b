import { sha256 } from '../../sha256.ts'
import { decodeBase58, isBech32 } from './base-encodings.ts'
import type { StructuredKind } from './kind.ts'

/** The versions of addresses, their first byte: Bitcoin, Litecoin, Dogecoin, Tron. */
const VERSIONS: ReadonlySet<number> = new Set([0x00, 0x05, 0x30, 0x32, 0x1e, 0x16, 0x41])
const PREFIXES = /^(?:0x[0-9A-Fa-f]{40}$|bc1|BC1|ltc1|LTC1|[13LMDAT9])/

const FORM = /^(?:0x[0-9A-Fa-f]{40}|(?:bc|ltc|tb)1[a-z0-9]{20,87}|[13LMDAT9][1-9A-HJ-NP-Za-km-z]{25,34})$/i

/** An address of a crypto wallet: Base58Check and Bech32 with their checks, and 40 hex digits after `0x`. */
export const CRYPTO_WALLET: StructuredKind = {
  name: 'crypto_wallet',
  group: 'CRYPTO_WALLET',
  mixed: [26, 90],
  labelledBy: 'wallet',
  findUnchecked({ word, start, end }) {
    return FORM.test(word) ? { start, end } : undefined
  },
  find(candidate) {
    const { word, start, end } = candidate
    return isWallet(word) ? { start, end } : undefined
  },
}

function isWallet(word: string): boolean {
  if (!PREFIXES.test(word)) return false
  if (word.startsWith('0x')) return !/^0x(.)\1+$/.test(word)
  if (/^(?:bc|ltc)1/i.test(word)) return isBech32(word)
  return word.length <= 36 && isBase58Check(word)
}

function isBase58Check(word: string): boolean {
  const bytes = decodeBase58(word)
  if (bytes?.length !== 25 || !VERSIONS.has(bytes[0] ?? -1)) return false
  const check = sha256(sha256(bytes.subarray(0, 21)))
  return bytes.subarray(21).every((byte, index) => byte === check[index])
}
