import { SvcError } from '@svc/errors'

/** The address that a backend listens on. */
export type BackendAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string }

/** Longest path of a unix socket, in bytes: the kernel's structure less the closing zero. */
const MAX_SOCKET_PATH = process.platform === 'linux' ? 107 : 103
const TCP = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:[\]/]+)):(\d{1,5})$/

/**
 * Reads `host:port`, `[v6]:port`, `unix:/path` or its other spelling `unix:///path`.
 *
 * @throws `backend_address` (invalid_request) for anything else
 */
export function parseBackendAddress(text: string): BackendAddress {
  if (text.startsWith('unix:')) return { kind: 'unix', path: parseSocketPath(text.slice('unix:'.length)) }
  const match = TCP.exec(text)
  const host = match?.[1] ?? match?.[2]
  const port = Number(match?.[3])
  if (host === undefined || port > 65_535) {
    throw invalid('a backend address is host:port, [v6]:port or unix:/path')
  }
  return { kind: 'tcp', host, port }
}

function parseSocketPath(text: string): string {
  const path = text.startsWith('///') ? text.slice(2) : text
  if (path === '' || path.includes('\0')) throw invalid('a unix socket address needs a path')
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH) {
    throw invalid(`the path of a unix socket is at most ${MAX_SOCKET_PATH} bytes long`)
  }
  return path
}

function invalid(message: string): SvcError {
  return new SvcError('invalid_request', message, { code: 'backend_address' })
}
