import { type ForwardProxy, readForwardProxy } from './forward-proxy.ts'
import { type Destination, isOwnMachine, readNoProxy } from './no-proxy.ts'

/** Which proxies requests to other machines go through. Empty texts stand for none. */
export interface ProxySettings {
  /** For https and for WebSockets over TLS. */
  readonly https?: string | undefined
  /** For plain http. */
  readonly http?: string | undefined
  /** Destinations that are reached directly: {@link readNoProxy}. */
  readonly no?: string | undefined
}

/** Where a connection is to lead. */
export interface ProxiedDestination extends Destination {
  readonly isTls: boolean
}

/** Where the connection of a URL leads: http, https, ws or wss. */
export function toDestination({ protocol, hostname, port }: URL): ProxiedDestination {
  const isTls = protocol === 'https:' || protocol === 'wss:'
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return { isTls, host, port: port === '' ? (isTls ? 443 : 80) : Number(port) }
}

/** Says how other machines are reached. */
export interface WayOut {
  /** The proxy for a destination; undefined where it is reached directly. This machine always is. */
  find(destination: ProxiedDestination): ForwardProxy | undefined
}

/** Reads the variables of an environment as curl does: the lower-case ones come first, empty ones count as none. */
export function readProxyVariables(environment: Readonly<Record<string, string | undefined>>): ProxySettings {
  const read = (name: string): string | undefined => environment[name] || environment[name.toUpperCase()]
  return { https: read('https_proxy'), http: read('http_proxy'), no: read('no_proxy') }
}

/**
 * Creates the way out of settings that may change.
 *
 * @param read gives the settings as they are now
 */
export function createWayOut(read: () => ProxySettings): WayOut {
  const proxy = { https: remember(readForwardProxy), http: remember(readForwardProxy) }
  const passes = remember(readNoProxy)
  return {
    find({ isTls, host, port }) {
      const settings = read()
      const text = (isTls ? settings.https : settings.http) ?? ''
      if (text === '' || isOwnMachine(host)) return undefined
      if (passes(settings.no ?? '')({ host: host.toLowerCase(), port })) return undefined
      return proxy[isTls ? 'https' : 'http'](text)
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
