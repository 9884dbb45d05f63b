import type { CallOptions, Clock } from '../ports/clock.ts'
import type { KnownAddressStore } from '../ports/credentials.ts'
import type { TokenHasher } from '../token-hasher.ts'
import { nameAddress } from './attempt-limiter.ts'
import { normalizeEmail } from './email.ts'

/** Options of {@link createKnownAddresses}. */
export interface KnownAddressesOptions {
  readonly store: KnownAddressStore
  readonly hasher: TokenHasher
  readonly clock: Pick<Clock, 'now'>
}

/** Addresses from which accounts have signed in. There, strangers who guess at an account cannot lock its owner out. */
export interface KnownAddresses {
  /** Notes that an account has signed in from the address of a client. */
  note(account: { readonly id: string; readonly email: string }, address: string, options: CallOptions): Promise<void>
  /** Whether the account with an e-mail address has signed in from the address of a client within 90 days. */
  isKnown(email: string, address: string, options: CallOptions): Promise<boolean>
  /** Removes old addresses. @returns how many, at most `limit` */
  tidy(options: CallOptions & { readonly limit: number }): Promise<number>
}

const LIFETIME_MS = 90 * 86_400_000
const MAX_ADDRESSES = 50

/** Addresses of accounts. The store has one hash of an address and its account, which reveals neither. */
export function createKnownAddresses({ store, hasher, clock }: KnownAddressesOptions): KnownAddresses {
  const hash = (email: string, address: string): string =>
    hasher.hash('address', `${normalizeEmail(email)}\n${nameAddress(address)}`)
  const oldest = (): number => clock.now() - LIFETIME_MS
  return {
    note: ({ id, email }, address, { signal }) =>
      store.note({ hash: hash(email, address), userId: id, now: clock.now() }, { signal, maxAddresses: MAX_ADDRESSES }),
    isKnown: (email, address, call) => store.isKnown({ hash: hash(email, address), since: oldest() }, call),
    tidy: ({ signal, limit }) => store.removeOld({ before: oldest(), limit }, { signal }),
  }
}
