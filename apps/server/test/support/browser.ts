import { call, type RawReply, type RawRequest } from './test-app.ts'

/** A client that keeps the cookies of one server, as a browser does. */
export interface Browser {
  readonly cookies: ReadonlyMap<string, string>
  call(path: string, options?: RawRequest): Promise<RawReply>
  /** Sends JSON. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<RawReply>
}

/** Keeps the cookies that a reply sets and drops the ones that it clears. */
function keep(cookies: Map<string, string>, lines: readonly string[] = []): void {
  for (const line of lines) {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
    const separator = pair.indexOf('=')
    const [name, value] = [pair.slice(0, separator), pair.slice(separator + 1)]
    if (attributes.some((attribute) => attribute.toLowerCase() === 'max-age=0')) cookies.delete(name)
    else cookies.set(name, value)
  }
}

/** A browser without cookies yet. */
export function createBrowser(url: string): Browser {
  const cookies = new Map<string, string>()
  const send = async (path: string, options: RawRequest = {}): Promise<RawReply> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...(cookie === '' ? {} : { cookie }), ...options.headers }
    const reply = await call(url, path, { ...options, headers })
    keep(cookies, reply.headers['set-cookie'])
    return reply
  }
  return {
    cookies,
    call: send,
    send: (method, path, body, headers = {}) =>
      send(path, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      }),
  }
}
