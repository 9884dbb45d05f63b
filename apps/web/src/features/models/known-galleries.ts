/** A published gallery that can be added by one click. */
export interface KnownGallery {
  readonly name: string
  readonly url: string
}

/** Galleries that are known to work here. The server contacts a gallery only after somebody has added it. */
export const KNOWN_GALLERIES: readonly KnownGallery[] = [
  { name: 'localai', url: 'github:mudler/LocalAI/gallery/index.yaml@master' },
]

/** A gallery as the setting holds it; keys beside these stay as they are. */
export interface ConfiguredGallery {
  readonly name?: string
  readonly url?: string
  readonly [key: string]: unknown
}

/** The reason why a gallery cannot be added; undefined if it can. */
export function findGalleryFault(
  { name, url }: { readonly name: string; readonly url: string },
  present: readonly ConfiguredGallery[],
): 'name' | 'url' | 'taken' | 'known' | undefined {
  if (!/^[\w.-]{1,64}$/.test(name)) return 'name'
  if (!/^(?:https?:\/\/|github:|huggingface:|hf:|file:\/\/|oci:\/\/)\S+$/.test(url)) return 'url'
  if (present.some((gallery) => gallery.name === name)) return 'taken'
  if (present.some((gallery) => gallery.url === url)) return 'known'
  return undefined
}

/** A name for the gallery of an address: the owner at a code host, else the host. */
export function suggestName(url: string): string {
  const owner = /^(?:github|huggingface|hf):\/{0,2}([\w.-]+)\//.exec(url)?.[1]
  const host = /^(?:https?|oci):\/\/([^/:@?#]+)/.exec(url)?.[1]
  return (owner ?? host ?? '').toLowerCase().replace(/[^\w.-]+/g, '-')
}
