import { fail } from '../errors.ts'
import { percentEncode } from '../escape.ts'
import { type FunctionTable, fixed, walking } from '../function.ts'
import { type GoMap, type GoValue, goDict } from '../values.ts'

/** URLs taken apart into a dict and put together again. */
export const URL_FUNCTIONS: FunctionTable = walking({
  urlParse: fixed(['string'], (_, text) => {
    const { forceQuery: _unused, ...parts } = parseUrl(text)
    return goDict(new Map<string, GoValue>(Object.entries({ ...parts, hostname: hostName(parts.host) })))
  }),
  urlJoin: fixed(['dict'], (_, dict) => joinUrl(dict)),
})

interface UrlParts {
  readonly scheme: string
  readonly opaque: string
  /** Escaped as it prints; may be empty. */
  readonly userinfo: string
  readonly host: string
  readonly path: string
  readonly query: string
  readonly fragment: string
  readonly forceQuery: boolean
}

function cut(text: string, separator: string): [before: string, after: string | undefined] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + separator.length)]
}

function parseUrl(text: string): UrlParts {
  const [url, fragment = ''] = cut(text, '#')
  for (let at = 0; at < url.length; at++) {
    const byte = url.charCodeAt(at)
    if (byte < 0x20 || byte === 0x7f) fail('invalid control character in URL')
  }
  const empty = { scheme: '', opaque: '', userinfo: '', host: '', path: '', query: '', forceQuery: false }
  const parts = { ...empty, fragment: decodePart(fragment, 'path') }
  if (url === '*') return { ...parts, path: '*' }
  const { scheme, rest: afterScheme } = splitScheme(url)
  const [rest, query = ''] = cut(afterScheme, '?')
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...parts, scheme, opaque: rest, query }
    if ((rest.split('/', 1)[0] ?? '').includes(':')) fail('first path segment in URL cannot contain colon')
  }
  const hasAuthority = rest.startsWith('//') && (scheme !== '' || !rest.startsWith('///'))
  if (!hasAuthority) return { ...parts, scheme, query, path: decodePart(rest, 'path') }
  const slash = rest.indexOf('/', 2)
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash)
  const path = slash < 0 ? '' : rest.slice(slash)
  return { ...parts, scheme, query, ...parseAuthority(scheme, authority), path: decodePart(path, 'path') }
}

function splitScheme(url: string): { scheme: string; rest: string } {
  const found = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(url)
  if (url.startsWith(':')) fail('missing protocol scheme')
  const scheme = found?.[1]
  return scheme === undefined
    ? { scheme: '', rest: url }
    : { scheme: scheme.toLowerCase(), rest: url.slice(scheme.length + 1) }
}

const USERINFO = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/

function parseAuthority(scheme: string, authority: string): { userinfo: string; host: string } {
  const at = authority.lastIndexOf('@')
  const host = parseHost(scheme, authority.slice(at + 1))
  if (at < 0) return { userinfo: '', host }
  const userinfo = authority.slice(0, at)
  if (!USERINFO.test(userinfo)) fail('invalid userinfo')
  const [name, password] = cut(userinfo, ':')
  const escaped = [name, ...(password === undefined ? [] : [password])].map((part) => {
    return encodePart(decodePart(part, 'userinfo'), 'userinfo')
  })
  return { userinfo: escaped.join(':'), host }
}

function parseHost(scheme: string, host: string): string {
  const bracket = host.lastIndexOf('[')
  if (bracket > 0) fail('invalid IP-literal')
  if (bracket === 0) {
    const close = host.lastIndexOf(']')
    if (close < 0) fail("missing ']' in host")
    checkPort(host.slice(close + 1))
    if (!/^[0-9A-Fa-f:.]+(?:%25.+)?$/.test(host.slice(1, close)) || !host.includes(':')) fail('invalid host')
    return decodePart(host, 'zone')
  }
  const isStrict = scheme === 'http' || scheme === 'https'
  const colon = isStrict ? host.indexOf(':') : host.lastIndexOf(':')
  if (colon >= 0) checkPort(host.slice(colon))
  return decodePart(host, 'host')
}

function checkPort(port: string): void {
  if (!/^(?::[0-9]*)?$/.test(port)) fail('invalid port after host')
}

function hostName(host: string): string {
  const colon = host.lastIndexOf(':')
  const bare = colon >= 0 && /^:[0-9]*$/.test(host.slice(colon)) ? host.slice(0, colon) : host
  return bare.startsWith('[') && bare.endsWith(']') ? bare.slice(1, -1) : bare
}

type Part = 'path' | 'host' | 'zone' | 'userinfo' | 'fragment'

/** Bytes that stay as they are in a part, beside letters and digits. */
const PLAIN: Readonly<Record<Part, string>> = {
  path: '-_.~$&+,/:;=@',
  fragment: '-_.~$&+,/:;=?@!()*',
  userinfo: '-_.~$&+,;=',
  host: '-_.~!$&\'()*+,;=:[]<>"',
  zone: '-_.~!$&\'()*+,;=:[]<>"',
}

function isPlain(char: string, part: Part): boolean {
  return /[A-Za-z0-9]/.test(char) || PLAIN[part].includes(char)
}

function decodePart(text: string, part: Part): string {
  const isHost = part === 'host' || part === 'zone'
  const out: string[] = []
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (char !== '%') {
      if (isHost && char < '\x80' && !isPlain(char, part)) fail('invalid character in host name')
      out.push(char)
      continue
    }
    const hex = text.slice(at + 1, at + 3)
    if (!/^[0-9A-Fa-f]{2}$/.test(hex)) fail('invalid URL escape')
    const byte = Number.parseInt(hex, 16)
    if (part === 'host' && byte < 0x80 && hex !== '25') fail('invalid URL escape')
    out.push(String.fromCharCode(byte))
    at += 2
  }
  return out.join('')
}

function encodePart(text: string, part: Part): string {
  return Array.from(text, (char) => (isPlain(char, part) ? char : percentEncode(char))).join('')
}

function joinUrl(dict: GoMap): string {
  const [scheme, host, path] = [readText(dict, 'scheme'), readText(dict, 'host'), readText(dict, 'path')]
  const [query, opaque, fragment] = [readText(dict, 'query'), readText(dict, 'opaque'), readText(dict, 'fragment')]
  const given = readText(dict, 'userinfo')
  const userinfo = given === '' ? '' : `${parseUrl(`proto://${given}@host`).userinfo}@`
  const start = scheme === '' ? '' : `${scheme}:`
  const tail = `${query === '' ? '' : `?${query}`}${fragment === '' ? '' : `#${encodePart(fragment, 'fragment')}`}`
  if (opaque !== '') return start + opaque + tail
  const hasAuthority = host !== '' || userinfo !== '' || (scheme !== '' && path !== '')
  const authority = hasAuthority ? `//${userinfo}${encodePart(host, 'host')}` : ''
  return start + authority + joinedPath(path, { host, isFirst: start + authority === '' }) + tail
}

function joinedPath(path: string, { host, isFirst }: { host: string; isFirst: boolean }): string {
  const escaped = path === '*' ? '*' : encodePart(path, 'path')
  if (escaped !== '' && !escaped.startsWith('/') && host !== '') return `/${escaped}`
  const hasColon = (escaped.split('/', 1)[0] ?? '').includes(':')
  return isFirst && hasColon ? `./${escaped}` : escaped
}

function readText(dict: GoMap, key: string): string {
  const value = dict.entries.has(key) ? dict.entries.get(key) : ''
  return typeof value === 'string' ? value : fail(`unable to parse ${key} key, must be of type string`)
}
