/** The root of the interface and of the server's addresses. The server writes a path prefix into `<base href>`. */
export const root = new URL('.', document.baseURI)

/** The path of the root, with a slash at its end, such as `/` or `/llm/`. */
export const basePath = root.pathname

/** Makes a full address of a path of the server, such as `/v1/models`. */
export function toUrl(path: string): string {
  return new URL(path.replace(/^\//, ''), root).href
}

/** Makes a full WebSocket address of a path of the server. */
export function toSocketUrl(path: string): string {
  return toUrl(path).replace(/^http/, 'ws')
}

/**
 * A path of the interface to go to after signing in, or undefined for an address of another origin.
 *
 * @param next value of `?next=`, unchecked
 */
export function toSafePath(next: string | undefined): string | undefined {
  if (next === undefined || !/^\/(?![/\\])/.test(next)) return undefined
  const url = new URL(next, root)
  return url.origin === root.origin ? url.pathname + url.search + url.hash : undefined
}

/** The address of a page of the interface below the root, such as `app` or `login`, for places without the router. */
export function toPagePath(path: string): string {
  return basePath + path
}
