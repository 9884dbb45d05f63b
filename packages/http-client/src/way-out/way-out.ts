import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { type ForwardProxy, readForwardProxy } from './forward-proxy.ts'
import { type Destination, isOwnMachine, readNoProxy } from './no-proxy.ts'
import { createOwnNames, pinAddresses } from './own-names.ts'

/** The proxies of requests to other machines. An empty text means no proxy. */
export interface ProxySettings {
  /** For https and for WebSockets over TLS. */
  readonly https?: string | undefined
  /** For plain http. */
  readonly http?: string | undefined
  /** Destinations that are reached directly: {@link readNoProxy}. */
  readonly no?: string | undefined
}

/** The far end of a connection. */
export interface ProxiedDestination extends Destination {
  readonly isTls: boolean
}

/** The destination of a URL: http, https, ws or wss. */
export function toDestination({ protocol, hostname, port }: URL): ProxiedDestination {
  const isTls = protocol === 'https:' || protocol === 'wss:'
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return { isTls, host, port: port === '' ? (isTls ? 443 : 80) : Number(port) }
}

/** The way to one destination. */
export interface Way {
  /** Undefined where it is reached directly. */
  readonly proxy: ForwardProxy | undefined
  /** Gives the addresses by which a name was found to be this machine. */
  readonly lookup?: LookupFunction | undefined
}

/** Says how other machines are reached. */
export interface WayOut {
  /**
   * The proxy for a destination, by its name or address only; undefined where it is reached directly. This machine is
   * always reached directly: where a proxy is found, {@link WayOut.choose} also knows the names that lead here.
   */
  find(destination: ProxiedDestination): ForwardProxy | undefined
  /**
   * Finds the way to a destination. A name is looked up before a proxy is used: a name that leads only to this machine
   * is reached directly. A name that cannot be looked up goes to the proxy.
   *
   * @throws the signal's reason
   */
  choose(destination: ProxiedDestination, options: { readonly signal: AbortSignal }): Promise<Way>
}

/** Options of {@link createWayOut}. */
export interface WayOutOptions {
  /** @default the system's resolver */
  readonly lookup?: LookupFunction | undefined
}

/** Reads the variables of an environment as curl does: lower-case ones come first, empty ones do not count. */
export function readProxyVariables(environment: Readonly<Record<string, string | undefined>>): ProxySettings {
  const read = (name: string): string | undefined => environment[name] || environment[name.toUpperCase()]
  return { https: read('https_proxy'), http: read('http_proxy'), no: read('no_proxy') }
}

/**
 * Creates the way out of settings that may change.
 *
 * @param read gives the settings as they are now
 */
export function createWayOut(read: () => ProxySettings, { lookup = systemLookup }: WayOutOptions = {}): WayOut {
  const proxies = { https: remember(readForwardProxy), http: remember(readForwardProxy) }
  const passes = remember(readNoProxy)
  const findOwn = createOwnNames(lookup)

  function find({ isTls, host, port }: ProxiedDestination): ForwardProxy | undefined {
    const settings = read()
    const text = (isTls ? settings.https : settings.http) ?? ''
    if (text === '' || isOwnMachine(host)) return undefined
    if (passes(settings.no ?? '')({ host: host.toLowerCase(), port })) return undefined
    return proxies[isTls ? 'https' : 'http'](text)
  }
  return {
    find,
    async choose(destination, { signal }) {
      const proxy = find(destination)
      const { host } = destination
      if (proxy === undefined || isIP(host) !== 0) return { proxy }
      const own = await findOwn(host, { signal })
      return own.length === 0 ? { proxy } : { proxy: undefined, lookup: pinAddresses(own) }
    },
  }
}

/** Keeps the value of the last text. */
function remember<Value>(read: (text: string) => Value): (text: string) => Value {
  let last: { readonly text: string; readonly value: Value } | undefined
  return (text) => {
    if (last?.text !== text) last = { text, value: read(text) }
    return last.value
  }
}
