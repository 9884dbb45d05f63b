const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
/** The remainders of the two versions of the check (BIP 173 and BIP 350). */
const BECH32_REMAINDERS = [1, 0x2bc830a3]

/** Decodes Base58; undefined for other characters. */
export function decodeBase58(text: string): Uint8Array | undefined {
  const bytes: number[] = []
  for (const char of text) {
    let carry = BASE58.indexOf(char)
    if (carry < 0) return undefined
    for (let at = 0; at < bytes.length; at++) {
      carry += (bytes[at] ?? 0) * 58
      bytes[at] = carry & 0xff
      carry >>= 8
    }
    while (carry > 0) {
      bytes.push(carry & 0xff)
      carry >>= 8
    }
  }
  const zeros = text.length - text.replace(/^1+/, '').length
  return Uint8Array.from([...new Array<number>(zeros).fill(0), ...bytes.toReversed()])
}

/** Whether a text is Bech32 or Bech32m with a valid check. */
export function isBech32(text: string): boolean {
  const lower = text.toLowerCase()
  if (text !== lower && text !== text.toUpperCase()) return false
  const mark = lower.lastIndexOf('1')
  const prefix = lower.slice(0, mark)
  const values = [...lower.slice(mark + 1)].map((char) => BECH32.indexOf(char))
  if (mark < 1 || values.length < 6 || values.includes(-1)) return false
  const codes = [...prefix].map((char) => char.charCodeAt(0))
  const all = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31), ...values]
  return BECH32_REMAINDERS.includes(all.reduce(addToRemainder, 1))
}

function addToRemainder(sum: number, value: number): number {
  const top = sum >>> 25
  const shifted = ((sum & 0x1ffffff) << 5) ^ value
  return GENERATORS.reduce((rest, generator, bit) => ((top >>> bit) & 1 ? rest ^ generator : rest), shifted)
}
