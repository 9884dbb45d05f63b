/** The addresses of others, and which of them are worth a try. */
export interface AddressBook {
  /** Takes the addresses that a member tells, in place of those that it told before. */
  tell(from: string, addresses: readonly string[]): void
  /** The addresses to try now: those that were given, and those that were told and have not failed too often. */
  list(now: number): readonly string[]
  /** Notes how a try ended. */
  note(address: string, isReached: boolean, now: number): void
}

/** Most addresses of a member. */
const MAX_OF_MEMBER = 32
const MAX_MEMBERS = 256
/** Tries in a row after which an address that was told is forgotten, and the time for which it cannot be told again. */
const MAX_FAILURES = 3
const REST_MS = 3_600_000
/** Most addresses whose failures are known. */
const MAX_FAILED = 2048

/** Creates a book. @param given addresses that are never forgotten */
export function createAddressBook(given: readonly string[]): AddressBook {
  /** The member that told something last is the last one. */
  const told = new Map<string, readonly string[]>()
  const failed = new Map<string, { readonly count: number; readonly at: number }>()
  const isGiven = new Set(given)

  const isForgotten = (address: string, now: number): boolean => {
    const failure = failed.get(address)
    return failure !== undefined && failure.count >= MAX_FAILURES && now - failure.at < REST_MS
  }

  return {
    tell(from, addresses) {
      told.delete(from)
      told.set(from, addresses.slice(0, MAX_OF_MEMBER))
      trim(told, MAX_MEMBERS)
    },
    list(now) {
      const others = [...told.values()].flat().filter((address) => !isForgotten(address, now))
      return [...new Set([...given, ...others])]
    },
    note(address, isReached, now) {
      const before = failed.get(address)
      failed.delete(address)
      if (isReached || isGiven.has(address)) return
      const isOld = before === undefined || now - before.at >= REST_MS
      failed.set(address, { count: isOld ? 1 : before.count + 1, at: now })
      trim(failed, MAX_FAILED)
    },
  }
}

function trim(map: Map<string, unknown>, most: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= most) return
    map.delete(oldest)
  }
}
