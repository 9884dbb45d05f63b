/** A proxy that requests to other machines go through. */
export interface ForwardProxy {
  /** Whether the proxy itself is reached over TLS. */
  readonly isTls: boolean
  /** A name, or an address without brackets. */
  readonly host: string
  readonly port: number
  /** The value of `Proxy-Authorization`. Goes only to the proxy. */
  readonly authorization: string | undefined
}

/**
 * Reads the URL of a proxy: `http://host:port`, `https://host:port` or `host:port`, with a name and a password where
 * the proxy asks for them.
 *
 * @returns undefined for any other text, such as the URL of a SOCKS proxy
 */
export function readForwardProxy(text: string): ForwardProxy | undefined {
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`
  if (/[\s\p{Cc}]/u.test(text) || !URL.canParse(full)) return undefined
  const url = new URL(full)
  const { protocol, hostname, port, username, password, pathname, search, hash } = url
  if ((protocol !== 'http:' && protocol !== 'https:') || pathname !== '/' || search !== '' || hash !== '')
    return undefined
  const isTls = protocol === 'https:'
  const credentials = readCredentials(username, password)
  if (credentials === undefined) return undefined
  return {
    isTls,
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (isTls ? 443 : 80) : Number(port),
    authorization: credentials === ':' ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`,
  }
}

/** The name and password as they are; undefined for percent signs that encode nothing. */
function readCredentials(username: string, password: string): string | undefined {
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  } catch {
    return undefined
  }
}
