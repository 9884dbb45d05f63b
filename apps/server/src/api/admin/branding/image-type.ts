/** A kind of image that can be an asset. */
export type ImageExtension = 'png' | 'jpg' | 'svg' | 'webp' | 'ico'

const MAX_PROLOG_CHARS = 4096

/** Finds the kind of an image by its content; undefined for anything else. */
export function findImageType(bytes: Uint8Array): ImageExtension | undefined {
  const start = Buffer.from(bytes.subarray(0, 16)).toString('latin1')
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  if (start.startsWith('\xff\xd8\xff')) return 'jpg'
  if (start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP') return 'webp'
  if (start.startsWith('\x00\x00\x01\x00')) return 'ico'
  return isSvg(Buffer.from(bytes.subarray(0, MAX_PROLOG_CHARS)).toString('utf8')) ? 'svg' : undefined
}

/** Whether the first element of a text is `svg`. */
function isSvg(text: string): boolean {
  let rest = text.replace(/^\uFEFF/, '').trimStart()
  while (rest.startsWith('<?') || rest.startsWith('<!')) {
    const end = rest.startsWith('<!--') ? '-->' : '>'
    const at = rest.indexOf(end)
    if (at < 0) return false
    rest = rest.slice(at + end.length).trimStart()
  }
  return /^<svg[\s/>]/.test(rest)
}
