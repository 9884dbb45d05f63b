import { type Fields, toFields, toList, toText } from '@svc/proxy/replies'
import { undecodable } from './status.ts'
import type { ServiceCall, ServiceTransport } from './transport.ts'

/** Kinds of content that an instance generates and keeps. */
export type GeneratedKind = 'audio' | 'images' | 'videos' | '3d'

/**
 * Resolves a link to generated content of the instance. Uses only the path of the link, and only below the folders of
 * such content, so that a link cannot lead elsewhere. Undefined for any other link.
 */
export function resolveGeneratedUrl(root: URL, link: string, kinds: readonly GeneratedKind[]): URL | undefined {
  const url = URL.canParse(link, root.href) ? new URL(link, root) : undefined
  if (url === undefined) return undefined
  // The instance may see itself under another base path.
  for (const kind of kinds) {
    const place = url.pathname.indexOf(`/generated-${kind}/`)
    const rest = place === -1 ? '' : url.pathname.slice(place + 1)
    if (/^[^/]+\/[\w.%~-]+$/.test(rest) && !rest.toLowerCase().includes('%2f')) return new URL(rest, root)
  }
  return undefined
}

/**
 * Reads generated content from the first entry of a reply: inline bytes, or a link, which is followed.
 *
 * @throws {SvcError} `internal` when there is neither
 */
export async function readGenerated(
  transport: ServiceTransport,
  { reply, path, kind }: { readonly reply: Fields; readonly path: string; readonly kind: GeneratedKind },
  call: ServiceCall,
): Promise<AsyncIterable<Uint8Array>> {
  const entry = toFields(toList(reply.data)[0])
  const data = toText(entry.b64_json)
  if (data !== undefined && data !== '') return once(Buffer.from(data, 'base64'))
  const url = resolveGeneratedUrl(transport.target.root, toText(entry.url) ?? '', [kind])
  if (url === undefined) throw undecodable(path)
  return (await transport.get(url, call)).body
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes
}
