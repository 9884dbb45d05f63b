import { isIPv4 } from 'node:net'

/** Endings of names that exist only inside a machine, a home, a company or a cluster. */
const INTERNAL_ENDINGS = [
  'localhost',
  'localdomain',
  'localdomain6',
  'local',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'home.arpa',
  'svc',
] as const

/**
 * Whether a host name is internal to a network: a single label, `localhost` and everything under it, `.local` and
 * similar endings, and the metadata services of clouds (`metadata.*`). The addresses of a name are checked separately.
 *
 * @param name lower case, without a trailing dot, as a URL's host is
 */
export function isInternalName(name: string): boolean {
  if (!name.includes('.') || name.startsWith('metadata.')) return true
  return INTERNAL_ENDINGS.some((ending) => name === ending || name.endsWith(`.${ending}`))
}

const MAX_NAME_LENGTH = 253
const MAX_LABEL_LENGTH = 63

/** Whether a text can be a name in DNS: no empty or overlong parts. */
export function isHostName(name: string): boolean {
  if (name.length > MAX_NAME_LENGTH) return false
  return name.split('.').every((label) => label !== '' && label.length <= MAX_LABEL_LENGTH)
}

/** The lower-case name of a `Host` value or a URL's host, without port, brackets and one trailing dot. */
export function readHostName(host: string): string {
  const [, six] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(host) ?? []
  return (six ?? host.replace(/:\d{1,5}$/, '')).toLowerCase().replace(/\.$/, '')
}

/** Whether a text is an address of this machine: one of 127.0.0.0/8, or `::1`. */
export function isLoopbackAddress(text: string): boolean {
  return text === '::1' || (isIPv4(text) && text.startsWith('127.'))
}

/**
 * Whether a name always means this machine: an address of it, `localhost`, or a name below `localhost` (RFC 6761). A name
 * that only looks like an address, such as `127.example.com`, is whatever its owner says.
 *
 * @param name as {@link readHostName} gives it
 */
export function isLoopbackName(name: string): boolean {
  return isLoopbackAddress(name) || name === 'localhost' || (name.endsWith('.localhost') && isHostName(name))
}
