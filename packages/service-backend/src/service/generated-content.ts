import { type Fields, fieldsOf, listOf, textOf } from '@svc/proxy/replies'
import { undecodable } from './status.ts'
import type { ServiceCall, ServiceTransport } from './transport.ts'

/** Where an instance keeps what its models made. */
export type GeneratedKind = 'audio' | 'images' | 'videos' | '3d'

/**
 * The address of something that the instance made. Of a link only the path counts, and it must lie where such things are
 * kept: a link can lead nowhere else. Nothing where it does not.
 */
export function generatedUrl(root: URL, link: string, kinds: readonly GeneratedKind[]): URL | undefined {
  const url = URL.canParse(link, root.href) ? new URL(link, root) : undefined
  if (url === undefined) return undefined
  // The instance may know itself under a path of its own.
  for (const kind of kinds) {
    const place = url.pathname.indexOf(`/generated-${kind}/`)
    const rest = place === -1 ? '' : url.pathname.slice(place + 1)
    if (/^[^/]+\/[\w.%~-]+$/.test(rest) && !rest.toLowerCase().includes('%2f')) return new URL(rest, root)
  }
  return undefined
}

/**
 * What an instance made, from the first entry of its reply: the bytes themselves, or a link that is followed.
 *
 * @throws {SvcError} `internal` when there is neither
 */
export async function readGenerated(
  transport: ServiceTransport,
  { reply, path, kind }: { readonly reply: Fields; readonly path: string; readonly kind: GeneratedKind },
  call: ServiceCall,
): Promise<AsyncIterable<Uint8Array>> {
  const entry = fieldsOf(listOf(reply.data)[0])
  const data = textOf(entry.b64_json)
  if (data !== undefined && data !== '') return once(Buffer.from(data, 'base64'))
  const url = generatedUrl(transport.target.root, textOf(entry.url) ?? '', [kind])
  if (url === undefined) throw undecodable(path)
  return (await transport.get(url, call)).body
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes
}
