import { root, toUrl } from '../base-path.ts'

const ADDRESS = /(?:^|\/)(generated-(?:images|videos|audio)\/[\w.-]+)$/

function findUrl(address: string, isOwn: (url: URL) => boolean): string | undefined {
  if (address === '' || !URL.canParse(address, root)) return undefined
  const url = new URL(address, root)
  const path = ADDRESS.exec(url.pathname)?.[1]
  return path === undefined || !isOwn(url) ? undefined : toUrl(path)
}

/** The address of a generated file of this server that a text names; undefined for any other address. */
export function toGeneratedUrl(address: string): string | undefined {
  return findUrl(address, ({ origin }) => origin === root.origin)
}

/**
 * The address of a file that a reply of this server names: the file, or its bytes. Behind a proxy the server may name
 * itself by another host, so the host is not looked at.
 *
 * @param type of the bytes
 */
export function toMadeUrl(
  { url, b64_json: bytes }: { readonly url?: string | undefined; readonly b64_json?: string | undefined },
  type: string,
): string | undefined {
  return bytes === undefined ? findUrl(url ?? '', () => true) : `data:${type};base64,${bytes}`
}
