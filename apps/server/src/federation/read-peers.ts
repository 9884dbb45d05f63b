import { isLoopbackName, readHostName } from '../outbound/host-name.ts'

/** A server that requests for its models go to. */
export interface PeerSettings {
  /** The address of the server, without a slash and without `/v1` at its end. */
  readonly url: string
  /** The name in lists and logs. */
  readonly name: string
  /** Variable with the key of this server at the peer. */
  readonly apiKeyEnv?: string | undefined
  /** File with that key. */
  readonly apiKeyFile?: string | undefined
  /** Whether the peer gets the credential of the caller instead of that key. */
  readonly passKey: boolean
}

/** Most peers of a federation. */
const MAX_PEERS = 64

/**
 * Reads the peers: URLs between commas, or a JSON list of objects.
 *
 * @returns undefined for another form, for a name or an address that occurs twice, and where a key would go over plain
 *   HTTP to another machine
 */
export function readPeers(text: string): readonly PeerSettings[] | undefined {
  const peers = text.trim().startsWith('[') ? readJson(text) : readUrls(text)
  if (peers === undefined || peers.length > MAX_PEERS) return undefined
  const isDistinct = (key: 'url' | 'name'): boolean => new Set(peers.map((peer) => peer[key])).size === peers.length
  return isDistinct('url') && isDistinct('name') ? Object.freeze(peers) : undefined
}

function readUrls(text: string): PeerSettings[] | undefined {
  const urls = text.split(',').map((part) => part.trim())
  return readAll(
    urls.filter((url) => url !== ''),
    (url) => toPeer({ url }),
  )
}

function readJson(text: string): PeerSettings[] | undefined {
  try {
    return readAll(JSON.parse(text) as readonly unknown[], toPeer)
  } catch {
    return undefined
  }
}

function readAll<Item>(
  items: readonly Item[],
  read: (item: Item) => PeerSettings | undefined,
): PeerSettings[] | undefined {
  const peers = items.map(read)
  return peers.every((peer) => peer !== undefined) ? peers : undefined
}

const KEYS: ReadonlySet<string> = new Set(['url', 'name', 'api_key_env', 'api_key_file', 'pass_key'])
const NAME = /^[\w.:[\]-]{1,100}$/

function toPeer(value: unknown): PeerSettings | undefined {
  if (typeof value !== 'object' || value === null || Object.keys(value).some((key) => !KEYS.has(key))) return undefined
  const { url, name, api_key_env, api_key_file, pass_key = false } = value as Record<string, unknown>
  const address = readBase(url)
  if (address === undefined || typeof pass_key !== 'boolean') return undefined
  if (!isOptionalText(name) || !isOptionalText(api_key_env) || !isOptionalText(api_key_file)) return undefined
  if (api_key_env !== undefined && api_key_file !== undefined) return undefined
  const hasKey = pass_key || api_key_env !== undefined || api_key_file !== undefined
  if (hasKey && !isPrivate(address)) return undefined
  const shown = name ?? address.host
  if (!NAME.test(shown)) return undefined
  return {
    url: `${address.origin}${address.pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}`,
    name: shown,
    apiKeyEnv: api_key_env,
    apiKeyFile: api_key_file,
    passKey: pass_key,
  }
}

const isOptionalText = (value: unknown): value is string | undefined =>
  value === undefined || (typeof value === 'string' && value !== '')

function readBase(url: unknown): URL | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined
  const address = new URL(url)
  const isBare = address.username === '' && address.password === '' && address.search === '' && address.hash === ''
  return /^https?:$/.test(address.protocol) && isBare ? address : undefined
}

/** Whether nobody on the way can read what is sent. */
function isPrivate({ protocol, host }: URL): boolean {
  return protocol === 'https:' || isLoopbackName(readHostName(host))
}
