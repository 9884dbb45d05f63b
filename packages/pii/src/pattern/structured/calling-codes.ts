/** First digits of the calling codes that are assigned (ITU-T E.164), by their length. */
const ONE = '17'
const TWO =
  '20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98'
/** The tens of codes of three digits, of which nearly all numbers are assigned. */
const THREE = '21 22 23 24 25 26 29 35 37 38 42 50 59 67 68 69 80 85 87 88 96 97 99'

const CODES: ReadonlySet<string> = new Set([...ONE, ...TWO.split(' '), ...THREE.split(' ')])

/** Whether an international number begins with an assigned calling code, and is long enough after it. */
export function isCallingCode(digits: string): boolean {
  // The plan of North America: eleven digits, area and exchange from 2 to 9.
  if (digits.startsWith('1')) return /^1[2-9]\d\d[2-9]\d{6}$/.test(digits)
  return CODES.has(digits.charAt(0)) || CODES.has(digits.slice(0, 2))
}
