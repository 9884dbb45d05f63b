import { hmacSha256 } from '../operators/hmac.ts'
import type { FakeKind } from './fake-names.ts'
import {
  AREA_CODES,
  FIRST_NAMES,
  LAST_NAMES,
  LEGAL_FORMS,
  NETWORKS,
  PLACE_ENDS,
  PLACE_STARTS,
  STREET_KINDS,
  STREET_NAMES,
  TRADES,
} from './lists.ts'

/**
 * Invents the replacement of a value. It depends on the value and the number of the attempt alone, so that equal values
 * have equal ones as long as none of them is taken.
 */
export type WriteFake = (value: string, attempt: number) => string

/** A list of invented values, each by its number. */
interface FakeList {
  readonly size: number
  at(index: number): string
}

const name = (index: number, separator: string): string =>
  pick(FIRST_NAMES, index) + separator + pick(LAST_NAMES, Math.floor(index / FIRST_NAMES.length))

const NAMES = FIRST_NAMES.length * LAST_NAMES.length
const PLACES = PLACE_STARTS.length * PLACE_ENDS.length

const place = (index: number): string =>
  pick(PLACE_STARTS, index) + pick(PLACE_ENDS, Math.floor(index / PLACE_STARTS.length))

/** All values are ASCII, and none begins another of its kind. */
export const FAKE_LISTS: Readonly<Record<FakeKind, FakeList>> = {
  person: { size: NAMES, at: (index) => name(index, ' ') },
  place: { size: PLACES, at: place },
  organisation: {
    size: PLACES * TRADES.length,
    at: (index) => {
      const trade = Math.floor(index / PLACES)
      return `${place(index % PLACES)} ${pick(TRADES, trade)} ${pick(LEGAL_FORMS, index + trade)}`
    },
  },
  email: { size: NAMES, at: (index) => `${name(index, '.').toLowerCase()}@mail.example` },
  phone: {
    size: AREA_CODES.length * 100,
    at: (index) => `+1 ${pick(AREA_CODES, index)} 555 01${padTwo(Math.floor(index / AREA_CODES.length))}`,
  },
  ip_address: {
    size: NETWORKS.length * 155,
    at: (index) => `${pick(NETWORKS, index)}.${100 + Math.floor(index / NETWORKS.length)}`,
  },
  street_address: {
    size: STREET_NAMES.length * STREET_KINDS.length * 90,
    at: (index) => {
      const street = Math.floor(index / 90)
      const kind = Math.floor(street / STREET_NAMES.length)
      return `${110 + (index % 90)} ${pick(STREET_NAMES, street)} ${pick(STREET_KINDS, kind)}`
    },
  },
}

/**
 * Creates the writer of a kind.
 *
 * @param key chooses the values: without it nobody can tell which of them belongs to a guessed value
 */
export function createFakeWriter(kind: FakeKind, key: string): WriteFake {
  const list = FAKE_LISTS[kind]
  return (value, attempt) => {
    const start = Number.parseInt(hmacSha256(key, `${kind}:${value}`).slice(0, 12), 16)
    return list.at((start + attempt) % list.size)
  }
}

function pick(list: readonly string[], index: number): string {
  return list[index % list.length] ?? ''
}

function padTwo(number: number): string {
  return String(number).padStart(2, '0')
}
