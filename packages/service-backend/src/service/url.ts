import { parseUpstreamUrl } from '@svc/proxy'

/** The root of another instance, and the change that was needed to get it. */
export interface ServiceUrl {
  /** Its path ends in a slash. */
  readonly root: URL
  readonly warning: string | undefined
}

/**
 * Reads the root of another instance from the settings (§2.13): cuts off the first `/v1` with the rest after it, and a
 * query.
 *
 * @throws {SvcError} `invalid_proxy_settings` unless it is absolute, http or https, and without credentials
 */
export function parseServiceUrl(text: string | undefined): ServiceUrl {
  const root = parseUpstreamUrl(text)
  const given = `${root.pathname}${root.search}`
  root.search = ''
  const path = cutAtVersion(root.pathname).replace(/\/+$/, '')
  const isChanged = path !== given.replace(/\/+$/, '')
  root.pathname = `${path}/`
  const warning = 'proxy.upstream_url: only the root of the instance is used, the rest is cut off'
  return { root, warning: isChanged ? warning : undefined }
}

/** Builds the address of a route of the instance. */
export function toRouteUrl(root: URL, path: string): URL {
  return new URL(path.replace(/^\/+/, ''), root)
}

function cutAtVersion(path: string): string {
  const place = path.search(/\/v1(?:\/|$)/)
  return place === -1 ? path : path.slice(0, place)
}
