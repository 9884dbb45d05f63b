import type { Span } from '../../span.ts'
import { isAlphanumeric, isDigit } from './characters.ts'

const DOT = 0x2e
const COLON = 0x3a
const MAX_LENGTH = 45

/** An IPv4 or IPv6 address. Four numbers beside more numbers, as in versions, are no address. */
export function matchIpAddress(text: string, at: number): Span | undefined {
  let end = at
  while (end - at <= MAX_LENGTH && isAddressUnit(text.charCodeAt(end))) end++
  if (end - at > MAX_LENGTH || isAlphanumeric(text.charCodeAt(end))) return undefined
  // A full stop or colon after an address belongs to the sentence.
  while (end > at && text.charCodeAt(end - 1) === DOT) end--
  if (text.charCodeAt(end - 1) === COLON && text.charCodeAt(end - 2) !== COLON) end--
  const address = text.slice(at, end)
  if (isIpv4(address) || isIpv6(address)) return { start: at, end }
  const [host, port, ...more] = address.split(':')
  if (host !== undefined && port !== undefined && more.length === 0 && isIpv4(host)) {
    return { start: at, end: at + host.length }
  }
  return undefined
}

function isAddressUnit(unit: number): boolean {
  return (
    isDigit(unit) || unit === DOT || unit === COLON || (unit >= 0x41 && unit <= 0x46) || (unit >= 0x61 && unit <= 0x66)
  )
}

function isIpv4(text: string): boolean {
  const parts = text.split('.')
  return parts.length === 4 && parts.every((part) => isDecimal(part) && Number(part) <= 255)
}

function isDecimal(part: string): boolean {
  return part.length > 0 && part.length <= 3 && [...part].every((char) => isDigit(char.charCodeAt(0)))
}

function isIpv6(text: string): boolean {
  const halves = text.split('::')
  if (halves.length > 2 || !text.includes(':')) return false
  const parts = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  const last = parts.at(-1) ?? ''
  const size = parts.length + (last.includes('.') ? 1 : 0)
  const areParts = parts.every((part, index) =>
    index === parts.length - 1 && part.includes('.') ? isIpv4(part) : /^[0-9A-Fa-f]{1,4}$/.test(part),
  )
  // `::` alone and `a::b` of programming languages are no real addresses.
  return areParts && (halves.length === 2 ? size >= 2 && size < 8 && /[0-9]/.test(text) : size === 8)
}

/** The possible beginnings of an address. */
export const beginsIpAddress = (unit: number, before: number): boolean =>
  isAddressUnit(unit) && unit !== DOT && !isAlphanumeric(before) && before !== DOT && before !== COLON
