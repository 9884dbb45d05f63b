import { isIP } from 'node:net'
import { invalidValue } from './errors.ts'

/** An address as a number of 32 or 128 bits. IPv4 within IPv6 (`::ffff:192.0.2.1`) is IPv4. */
interface Address {
  readonly bits: 32 | 128
  readonly value: bigint
}

interface Range extends Address {
  readonly prefix: number
}

/** Entries of one list. */
const MAX_ADDRESSES = 64
/** Longest text of an address with a prefix. */
const MAX_LENGTH = 49
const PREFIX = /^(?:0|[1-9]\d{0,2})$/
const MAPPED = 0xffffn
const MAPPED_BITS = 96

function joinGroups(groups: readonly string[], { bits, radix }: { readonly bits: bigint; readonly radix: string }) {
  return groups.reduce((value, group) => (value << bits) | BigInt(`${radix}${group}`), 0n)
}

const readV4 = (text: string): bigint => joinGroups(text.split('.'), { bits: 8n, radix: '' })

/** Writes the IPv4 form at the end of an IPv6 address as two groups. */
function withoutDots(text: string): string {
  const start = text.lastIndexOf(':') + 1
  if (!text.includes('.')) return text
  const value = readV4(text.slice(start))
  return `${text.slice(0, start)}${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`
}

function readV6(text: string): bigint {
  const [head = '', tail] = withoutDots(text).split('::')
  const toGroups = (part: string): string[] => (part === '' ? [] : part.split(':'))
  const [first, last] = [toGroups(head), toGroups(tail ?? '')]
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - first.length - last.length }, () => '0')
  return joinGroups([...first, ...zeros, ...last], { bits: 16n, radix: '0x' })
}

/** Reads an address; undefined for anything else. Numbers with zeros before them, which some read as octal, are none. */
function readAddress(text: string): Address | undefined {
  const version = isIP(text)
  if (version === 0 || text.includes('%')) return undefined
  if (version === 4) return { bits: 32, value: readV4(text) }
  const value = readV6(text)
  return value >> 32n === MAPPED ? { bits: 32, value: value & 0xffffffffn } : { bits: 128, value }
}

function readRange(text: string): Range | undefined {
  const [start = '', length, ...rest] = text.split('/')
  const address = readAddress(start)
  if (address === undefined || rest.length > 0) return undefined
  if (length === undefined) return { ...address, prefix: address.bits }
  if (!PREFIX.test(length)) return undefined
  // A prefix of IPv4 within IPv6 counts the bits before it.
  const prefix = Number(length) - (address.bits === 32 && start.includes(':') ? MAPPED_BITS : 0)
  return prefix < 0 || prefix > address.bits ? undefined : { ...address, prefix }
}

const isInside = (address: Address, range: Range): boolean =>
  address.bits === range.bits && (address.value ^ range.value) >> BigInt(range.bits - range.prefix) === 0n

/**
 * Reads a list of addresses and CIDR ranges of a request.
 *
 * @returns the entries in small letters, each once
 * @throws {AuthError} `invalid_request` for an entry that is neither, for a range that begins within itself, and for a
 *   list that is empty or longer than 64
 */
export function checkAddresses(value: unknown, name: string): readonly string[] {
  const isList = Array.isArray(value) && value.length > 0 && value.length <= MAX_ADDRESSES
  if (!isList) throw invalidValue(`${name} must be a list of 1 to ${MAX_ADDRESSES} addresses or CIDR ranges`)
  const entries = value.map((entry: unknown) => {
    const text = typeof entry === 'string' ? entry.trim().toLowerCase() : ''
    const range = text.length > MAX_LENGTH ? undefined : readRange(text)
    if (range === undefined)
      throw invalidValue(`${name}: ${JSON.stringify(text.slice(0, MAX_LENGTH))} is no address and no CIDR range`)
    const rest = range.value & ((1n << BigInt(range.bits - range.prefix)) - 1n)
    if (rest !== 0n)
      throw invalidValue(`${name}: ${text} has bits behind its prefix; write the first address of the range`)
    return text
  })
  return [...new Set(entries)]
}

/** Whether a list has an address. A zone (`fe80::1%eth0`) is no part of it; a text that is no address is in no list. */
export function hasAddress(list: readonly string[], address: unknown): boolean {
  if (typeof address !== 'string') return false
  const read = readAddress(address.replace(/%.*$/s, ''))
  if (read === undefined) return false
  return list.some((entry) => {
    const range = readRange(entry)
    return range !== undefined && isInside(read, range)
  })
}
