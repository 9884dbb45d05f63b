import { isIP } from 'node:net'
import { checkArgument } from '@svc/errors'
import { isForbiddenAddress } from './addresses.ts'
import { canonicalHost } from './host.ts'

/** An entry of a list of hosts: a host, or a pattern of hosts. */
export interface HostEntry {
  /** In canonical form. */
  readonly text: string
  /** Whether a host in canonical form is meant. Patterns never mean addresses. */
  matches(host: string): boolean
}

const STAR = '*'

/**
 * Reads an entry of a list of hosts. In a pattern, `*.` at the beginning matches any names in front, and any other `*`
 * one or more characters of one label: `*.openai.azure.com`, `bedrock-runtime.*.amazonaws.com`.
 *
 * @returns the reason as text for an entry that can match no host
 */
export function readHostEntry(text: string): HostEntry | string {
  checkArgument(typeof text === 'string', 'readHostEntry: text', 'a text', text)
  if (text.includes(STAR)) return readPattern(text)
  const host = canonicalHost(text)
  if (host === undefined) return 'is not a host: write its name or address without scheme, port and path'
  if (isIP(host) !== 0 && isForbiddenAddress(host)) return 'is an address to which the proxy never connects'
  return { text: host, matches: (other) => other === host }
}

/** @returns the reason why an entry of a list of hosts can match no host; undefined for an entry that can */
export function findHostFault(entry: string): string | undefined {
  const read = readHostEntry(entry)
  return typeof read === 'string' ? read : undefined
}

function readPattern(text: string): HostEntry | string {
  const labels = text.replace(/\.$/, '').split('.')
  if (labels.at(-1)?.includes(STAR) === true) return 'has "*" in its last label, where it would match every host'
  if (labels.some((label) => label.split(STAR).length > 2)) return 'has several "*" in one label'
  if (labels.some((label) => label.includes(STAR) && !/^[a-z0-9_*-]*$/i.test(label))) return NOT_A_PATTERN
  // A letter replaces each star, so that the rest is checked and converted as in a host.
  const converted = canonicalHost(labels.map((label) => label.replace(STAR, 'x')).join('.'))?.split('.')
  if (converted === undefined || converted.length !== labels.length) return NOT_A_PATTERN
  const parts = labels.map((label, index) => (label.includes(STAR) ? label.toLowerCase() : (converted[index] ?? '')))
  return { text: parts.join('.'), matches: createMatcher(parts) }
}

const NOT_A_PATTERN = 'is not a pattern of hosts: write names without scheme, port and path'

function createMatcher(parts: readonly string[]): (host: string) => boolean {
  const isDeep = parts[0] === STAR
  const rest = (isDeep ? parts.slice(1) : parts).map(createLabelMatcher)
  return (host) => {
    const labels = host.split('.')
    const inFront = labels.length - rest.length
    if (isDeep ? inFront < 1 : inFront !== 0) return false
    return rest.every((matches, index) => matches(labels[inFront + index] ?? ''))
  }
}

function createLabelMatcher(part: string): (label: string) => boolean {
  const [start = '', end] = part.split(STAR)
  if (end === undefined) return (label) => label === part
  return (label) => label.length > start.length + end.length && label.startsWith(start) && label.endsWith(end)
}
