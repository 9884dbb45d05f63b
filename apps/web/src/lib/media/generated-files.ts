import { root, toUrl } from '../base-path.ts'

const ADDRESS = /(?:^|\/)(generated-(?:images|videos|audio)\/[\w.-]+)$/

/**
 * The address on this server of a file that a model made; undefined for any other address. The host is left out: behind
 * a proxy the server may name itself otherwise. The files need the session of the viewer, and asking for one tells
 * nobody else of it.
 */
export function toGeneratedUrl(address: string): string | undefined {
  if (!URL.canParse(address, root)) return undefined
  const { origin, pathname } = new URL(address, root)
  const path = ADDRESS.exec(pathname)?.[1]
  return path === undefined || origin !== root.origin ? undefined : toUrl(path)
}

/** The address of an image or film of a reply: the file on this server, or its bytes. @param type of the bytes */
export function toMadeUrl(
  { url, b64_json: bytes }: { readonly url?: string | undefined; readonly b64_json?: string | undefined },
  type: string,
): string {
  if (bytes !== undefined) return `data:${type};base64,${bytes}`
  const path = URL.canParse(url ?? '', root) ? ADDRESS.exec(new URL(url ?? '', root).pathname)?.[1] : undefined
  return path === undefined ? '' : toUrl(path)
}
