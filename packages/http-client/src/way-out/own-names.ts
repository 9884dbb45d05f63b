import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { isOwnMachine } from './no-proxy.ts'

/** Longest time that a look-up delays the use of a proxy: networks behind one often answer no look-ups at all. */
const PATIENCE_MS = 2000
/** Names that are looked up at the same time. */
const MAX_RUNNING = 256

/** Gives the addresses of a name that leads only to this machine, and none for any other name. */
export type FindOwnAddresses = (
  host: string,
  options: { readonly signal: AbortSignal },
) => Promise<readonly LookupAddress[]>

/**
 * Creates a finder of the names of this machine. A name whose look-up fails, or takes too long, does not count as one.
 *
 * @param lookup the resolver; a name is asked for once at a time
 */
export function createOwnNames(lookup: LookupFunction): FindOwnAddresses {
  const running = new Map<string, Promise<readonly LookupAddress[]>>()

  function start(host: string): Promise<readonly LookupAddress[]> {
    let settle = (_found: readonly LookupAddress[]): void => {}
    const looking = new Promise<readonly LookupAddress[]>((resolve) => {
      settle = resolve
    })
    // A resolver may answer at once.
    running.set(host, looking)
    const timer = setTimeout(() => settle([]), PATIENCE_MS)
    // A late look-up stays in the list, so that the next connections neither wait nor ask again.
    lookup(host, { all: true }, (error, found, family) => {
      clearTimeout(timer)
      running.delete(host)
      settle(error === null ? onlyOwn(toList(found, family)) : [])
    })
    return looking
  }
  return (host, { signal }) => {
    const looking = running.get(host) ?? (running.size < MAX_RUNNING ? start(host) : Promise.resolve([]))
    return unlessAborted(looking, signal)
  }
}

function toList(found: string | readonly LookupAddress[], family: number | undefined): readonly LookupAddress[] {
  return typeof found === 'string' ? [{ address: found, family: family ?? isIP(found) }] : found
}

function onlyOwn(found: readonly LookupAddress[]): readonly LookupAddress[] {
  return found.every(({ address }) => isOwnMachine(address)) ? found : []
}

function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const abort = (): void => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** Makes a look-up that answers with addresses that were found before. */
export function pinAddresses(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, { all }, callback) => {
    const [first] = addresses
    process.nextTick(() => {
      if (first === undefined) callback(new Error('the name has no address'), '')
      else if (all === true) callback(null, [...addresses])
      else callback(null, first.address, first.family)
    })
  }
}
