import { isAlphanumeric, isBeyondAscii } from './characters.ts'

/** A character of an address as its reader sees it: decoded, with the code units that it is written in. */
export interface AddressUnit {
  /** The code unit; {@link BEYOND_ASCII} for a byte of another character. */
  readonly unit: number
  /** Code units of the text. */
  readonly width: number
}

/** Stands for any letter beyond ASCII. */
const BEYOND_ASCII = 0xff

const PERCENT = 0x25
/** A percent-encoded byte, and one whose percent sign is encoded again. */
const ONCE = 3
const TWICE = 5

/** Reads the character that begins at an offset. */
export function readUnitAt(text: string, at: number): AddressUnit {
  const unit = text.charCodeAt(at)
  if (unit !== PERCENT) return { unit, width: 1 }
  const twice = text.startsWith('25', at + 1) ? readByte(text, at + ONCE) : undefined
  if (twice !== undefined) return { unit: twice, width: TWICE }
  const once = readByte(text, at + 1)
  return once === undefined ? { unit, width: 1 } : { unit: once, width: ONCE }
}

/** Reads the character that ends at an offset, which is not the start of the text. */
export function readUnitBefore(text: string, end: number): AddressUnit {
  if (text.startsWith('%25', end - TWICE)) {
    const twice = readByte(text, end - 2)
    if (twice !== undefined) return { unit: twice, width: TWICE }
  }
  if (text.charCodeAt(end - ONCE) === PERCENT) {
    const once = readByte(text, end - 2)
    if (once !== undefined) return { unit: once, width: ONCE }
  }
  return { unit: text.charCodeAt(end - 1), width: 1 }
}

function readByte(text: string, at: number): number | undefined {
  const high = hexValue(text.charCodeAt(at))
  const low = hexValue(text.charCodeAt(at + 1))
  if (high < 0 || low < 0) return undefined
  const byte = high * 16 + low
  return byte < 0x80 ? byte : BEYOND_ASCII
}

function hexValue(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30
  const letter = unit | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

/** Whether a code unit is a letter or a digit of any script. */
export function isWord(unit: number): boolean {
  return isAlphanumeric(unit) || isBeyondAscii(unit)
}
