import { parseDuration } from '../config/quantities.ts'
import {
  address,
  type Block,
  block,
  choice,
  type Field,
  list,
  map,
  oneOrMap,
  plainText,
  reaching,
} from './keys/fields.ts'
import { type KeyNote, readField } from './keys/read-field.ts'
import { isNull, type YamlEntry, type YamlNode } from './yaml/node.ts'
import { readYaml } from './yaml/read-yaml.ts'

/** When a tool may run: at once, after its caller has agreed, or not at all. */
export type ToolRule = 'auto' | 'ask' | 'never'

/** The way to a remote server. `auto`: streamable HTTP, and server-sent events where a server refuses it. */
export type RemoteTransport = 'auto' | 'http' | 'sse'

/** What the settings of every server have. */
export interface SharedServerSettings {
  readonly name: string
  /** Put before the names of its tools. @default '' */
  readonly prefix: string
  /** Names of tools on the server. @default all */
  readonly allow?: readonly string[] | undefined
  readonly deny: readonly string[]
  /** The rule of all tools, or of tools by their names on the server; `*` stands for the others. @default 'auto' */
  readonly approval: ToolRule | Readonly<Record<string, ToolRule>>
  /** Longest call, in milliseconds. */
  readonly timeoutMs: number
}

/** How this server signs in to a remote one. */
export interface OAuthSettings {
  /** `code`: an administrator signs in once. `client`: the client proves itself. */
  readonly grant: 'code' | 'client'
  /** @default registered at the first sign-in */
  readonly clientId?: string | undefined
  readonly clientSecret?: string | undefined
  readonly scope?: string | undefined
  /** The authorization server. It may be private, unlike one that only the server names. */
  readonly issuer?: string | undefined
}

/** A server that is reached over HTTP. */
export interface RemoteServerSettings extends SharedServerSettings {
  readonly kind: 'remote'
  readonly url: string
  /** Value of `Authorization`, without the word Bearer. */
  readonly token?: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly transport: RemoteTransport
  readonly oauth?: OAuthSettings | undefined
}

/** A server that is a program on this machine. */
export interface StdioServerSettings extends SharedServerSettings {
  readonly kind: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** One server of the `mcp` block. */
export type McpServerSettings = RemoteServerSettings | StdioServerSettings

/** The content of one text of the `mcp` block. */
export interface McpReading {
  readonly servers: readonly McpServerSettings[]
  /** Sentences that refuse it; keys are paths inside the text, lines count from its start. */
  readonly problems: readonly KeyNote[]
  readonly warnings: readonly KeyNote[]
}

/** Longest call of a tool where the settings name none. */
export const DEFAULT_CALL_MS = 360_000
const MAX_CALL_MS = 24 * 60 * 60 * 1000
/** Maximum number of servers of one model. */
export const MAX_SERVERS = 32
const MAX_NAME = 100
const MAX_PREFIX = 32

const RULE = choice('auto', 'ask', 'never')

const SHARED = {
  prefix: plainText,
  tools: block({ allow: list(plainText), deny: list(plainText) }),
  approval: oneOrMap(RULE),
  timeout: plainText,
}
const REMOTE = {
  ...SHARED,
  url: address,
  token: plainText,
  headers: map(plainText),
  transport: choice('auto', 'http', 'sse'),
  oauth: block({
    grant: choice('code', 'client'),
    client_id: plainText,
    client_secret: plainText,
    scope: plainText,
    issuer: address,
  }),
}
const STDIO = {
  ...SHARED,
  command: reaching('command', plainText),
  args: list(plainText),
  env: map(plainText),
}
const REMOTE_TEXT = block({ mcpServers: map(block(REMOTE)) })
const STDIO_TEXT = block({ mcpServers: map(block(STDIO)) })

type SharedKeys = Block<typeof SHARED>
type Refuse = (key: string, reason: string) => void

/** Reads a text of the `mcp` block: YAML or JSON with a map `mcpServers`. */
export function readMcpText(kind: McpServerSettings['kind'], text: string): McpReading {
  const result = readYaml(text)
  if (!result.ok) {
    const reason = `is not valid YAML or JSON: ${result.reason}`
    return { servers: [], problems: [{ line: result.line ?? 0, key: '', reason }], warnings: [] }
  }
  const { root } = result
  if (isNull(root)) return { servers: [], problems: [], warnings: [] }
  if (root.kind !== 'map')
    return { servers: [], problems: [{ line: 0, key: '', reason: 'must hold a map' }], warnings: [] }
  return kind === 'remote' ? read(REMOTE_TEXT, root, toRemote) : read(STDIO_TEXT, root, toStdio)
}

function read<Keys extends SharedKeys>(
  field: Field<{ readonly mcpServers?: Readonly<Record<string, Keys>> }>,
  root: YamlNode,
  convert: (name: string, keys: Keys, refuse: Refuse) => McpServerSettings,
): McpReading {
  const { value, problems: found, warnings } = readField(field, root)
  const problems: KeyNote[] = [...found]
  const servers = Object.entries(value?.mcpServers ?? {}).map(([name, keys]) => {
    const at = `mcpServers.${name}`
    const refuse: Refuse = (key, reason) =>
      problems.push({ line: findLine(root, name, key), key: key === '' ? at : `${at}.${key}`, reason })
    if (name === '' || name.length > MAX_NAME || /[\p{Cc}]/u.test(name)) refuse('', 'is not a name for a server')
    return convert(name, keys, refuse)
  })
  if (servers.length > MAX_SERVERS) {
    problems.push({ line: root.line, key: 'mcpServers', reason: `names more than ${MAX_SERVERS} servers` })
  }
  return { servers, problems, warnings }
}

/** Line of a key of a server inside the text. */
function findLine(root: YamlNode, server: string, key: string): number {
  const entry = findChild(findChild(root, 'mcpServers')?.value, server)
  return (findChild(entry?.value, key.split('.')[0] ?? '') ?? entry)?.line ?? root.line
}

function findChild(node: YamlNode | undefined, key: string): YamlEntry | undefined {
  return node?.kind === 'map' ? node.entries.get(key) : undefined
}

function toRemote(name: string, keys: Block<typeof REMOTE>, refuse: Refuse): RemoteServerSettings {
  const { url = '', token, headers = {}, transport = 'auto' } = keys
  if (url === '') refuse('', 'has no url')
  else checkUrl(url, refuse)
  for (const [header, value] of Object.entries(headers)) {
    const fault = findHeaderFault(header, value)
    if (fault !== undefined) refuse('headers', fault)
  }
  if (token !== undefined && !isHeaderValue(token)) refuse('token', 'is not the value of a header')
  return {
    kind: 'remote',
    name,
    url,
    ...(token === undefined || token === '' ? {} : { token }),
    headers,
    transport,
    ...(keys.oauth === undefined ? {} : { oauth: toOAuth(keys.oauth, refuse) }),
    ...toShared(keys, refuse),
  }
}

function toOAuth(keys: NonNullable<Block<typeof REMOTE>['oauth']>, refuse: Refuse): OAuthSettings {
  const { grant = 'code', clientId, clientSecret, scope, issuer } = keys
  if (grant === 'client' && (clientId === undefined || clientSecret === undefined)) {
    refuse('oauth', 'needs client_id and client_secret for the grant client')
  }
  if (issuer !== undefined) checkUrl(issuer, (_, reason) => refuse('oauth.issuer', reason))
  return { grant, clientId, clientSecret, scope, issuer }
}

/** Headers that the connection and the protocol set themselves. */
const OWN_HEADERS =
  /^(?:host|connection|content-length|content-type|transfer-encoding|upgrade|te|trailer|expect|accept|accept-encoding|mcp-session-id|mcp-protocol-version|last-event-id|proxy-.*)$/i

/** Why a header may not be sent to a server; undefined for one that may. */
export function findHeaderFault(name: string, value: string): string | undefined {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return 'holds a name that is not one of a header'
  if (OWN_HEADERS.test(name)) return `may not set ${name.toLowerCase()}`
  return isHeaderValue(value) ? undefined : `holds a value of ${name} that is not one of a header`
}

function isHeaderValue(value: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
}

function checkUrl(url: string, refuse: Refuse): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) refuse('url', 'is not an http or https address')
  else if (parsed.username !== '' || parsed.password !== '')
    refuse('url', 'must not hold credentials: use token or headers')
}

function toStdio(name: string, keys: Block<typeof STDIO>, refuse: Refuse): StdioServerSettings {
  const { command = '', args = [], env = {} } = keys
  if (command === '') refuse('', 'has no command')
  if ([command, ...args, ...Object.values(env)].some((text) => text.includes('\0'))) refuse('', 'holds a NUL character')
  for (const variable of Object.keys(env)) {
    if (!/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(variable)) refuse('env', 'holds a name that is not one of a variable')
  }
  return { kind: 'stdio', name, command, args, env, ...toShared(keys, refuse) }
}

function toShared(keys: SharedKeys, refuse: Refuse): Omit<SharedServerSettings, 'name'> {
  const { prefix = '', tools = {}, approval = 'auto', timeout } = keys
  if (prefix.length > MAX_PREFIX || !/^[A-Za-z0-9_-]*$/.test(prefix)) {
    refuse('prefix', `may hold at most ${MAX_PREFIX} letters, digits, "-" and "_"`)
  }
  return {
    prefix,
    ...(tools.allow === undefined ? {} : { allow: tools.allow }),
    deny: tools.deny ?? [],
    approval,
    timeoutMs: readTimeout(timeout, refuse),
  }
}

function readTimeout(text: string | undefined, refuse: Refuse): number {
  if (text === undefined || text === '') return DEFAULT_CALL_MS
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : parseDuration(text)
  if (ms !== undefined && ms > 0 && ms <= MAX_CALL_MS) return ms
  refuse('timeout', 'is not a time from 1ms to 24h, such as 90s')
  return DEFAULT_CALL_MS
}
