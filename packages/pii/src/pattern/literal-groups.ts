import type { LiteralEntry } from './literal-windows.ts'
import { rateCharacter } from './rarity.ts'

/** A group of texts: how often a window of one may begin, and how often one may continue. */
interface Group {
  begins: number
  continues: number
  readonly firsts: Set<number>
  readonly seconds: Set<number>
  readonly entries: LiteralEntry[]
}

/** The two halves of a window as keys, with their estimated frequencies. */
interface Halves {
  readonly entry: LiteralEntry
  readonly first: number
  readonly begins: number
  readonly second: number
  readonly continues: number
}

/** Stands for any second byte of a half. */
const ANY = 1 << 16

/**
 * Divides texts into groups. A group is asked at each place where the first half of any of its windows is followed by
 * the second half of any: the division keeps such places rare, as far as the rarity of characters tells.
 */
export function groupEntries(entries: readonly LiteralEntry[], count: number): LiteralEntry[][] {
  const groups: Group[] = Array.from({ length: count }, () => {
    return { begins: 0, continues: 0, firsts: new Set<number>(), seconds: new Set<number>(), entries: [] }
  })
  const halves = entries.map(toHalves)
  // The most frequent ones first: they decide most, while the groups are still small.
  for (const half of halves.toSorted((one, other) => weigh(other) - weigh(one))) add(cheapest(groups, half), half)
  return groups.map((group) => group.entries)
}

function weigh({ begins, continues }: Halves): number {
  return begins + continues
}

function toHalves(entry: LiteralEntry): Halves {
  const [one = 0, two = 0, three = 0, four] = entry.window
  if (!entry.isEven) {
    return {
      entry,
      first: one,
      begins: frequency(one),
      second: two * 256 + three,
      continues: frequency(two) * frequency(three),
    }
  }
  return {
    entry,
    first: one * 256 + two,
    begins: frequency(one) * frequency(two),
    second: four === undefined ? ANY + three : three * 256 + four,
    continues: frequency(three) * (four === undefined ? 1 : frequency(four)),
  }
}

const LAST_ASCII = 0x7f
const BEYOND_ASCII = 'é'

/** A rough share of the bytes of a text. */
function frequency(byte: number): number {
  return 2 ** -rateCharacter(byte > LAST_ASCII ? BEYOND_ASCII : String.fromCharCode(byte))
}

/** The group that a text adds least to. */
function cheapest(groups: readonly Group[], { first, begins, second, continues }: Halves): Group | undefined {
  let best: Group | undefined
  let least = Number.POSITIVE_INFINITY
  for (const group of groups) {
    const more = group.begins + (group.firsts.has(first) ? 0 : begins)
    const longer = group.continues + (group.seconds.has(second) ? 0 : continues)
    const cost = more * longer - group.begins * group.continues
    if (cost < least) {
      least = cost
      best = group
    }
  }
  return best
}

function add(group: Group | undefined, { entry, first, begins, second, continues }: Halves): void {
  if (group === undefined) return
  group.entries.push(entry)
  if (!group.firsts.has(first)) group.begins += begins
  if (!group.seconds.has(second)) group.continues += continues
  group.firsts.add(first)
  group.seconds.add(second)
}
