/** A picture that is ready to be sent. */
export interface Picture {
  readonly file: File
  /** In points. */
  readonly width: number
  readonly height: number
}

/** Larger files are written again: servers take 15 MB in a request by default, and base64 adds a third. */
const MAX_BYTES = 8_000_000

/**
 * Reads a picture. Only a PNG that is small enough stays as it is; all others are drawn again. Photographs may be turned
 * by a note in their file, which backends do not read: what is sent would not lie as it is shown.
 *
 * @param maxSide the longest side that stays, in points
 * @throws Error for a file that is no picture of this browser
 */
export async function loadPicture(file: File, maxSide: number): Promise<Picture> {
  const bitmap = await createImageBitmap(file)
  try {
    const scale = Math.min(1, maxSide / Math.max(bitmap.width, bitmap.height))
    const { width, height } = fit(bitmap, scale)
    if (scale === 1 && file.type === 'image/png' && file.size <= MAX_BYTES) return { file, width, height }
    const canvas = document.createElement('canvas')
    Object.assign(canvas, { width, height })
    canvas.getContext('2d')?.drawImage(bitmap, 0, 0, width, height)
    const type = file.type === 'image/jpeg' || file.size > MAX_BYTES ? 'image/jpeg' : 'image/png'
    const blob = await new Promise<Blob>((resolve, reject) =>
      canvas.toBlob((made) => (made === null ? reject(new Error('no picture')) : resolve(made)), type, 0.95),
    )
    const name = `${file.name.replace(/\.[^.]*$/, '')}.${type === 'image/png' ? 'png' : 'jpg'}`
    return { file: new File([blob], name, { type }), width, height }
  } finally {
    bitmap.close()
  }
}

function fit({ width, height }: ImageBitmap, scale: number): { readonly width: number; readonly height: number } {
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** Fetches a picture of this server. @throws Error where it is gone */
export async function fetchPicture(url: string, name: string, signal: AbortSignal): Promise<File> {
  const reply = await fetch(url, { signal })
  if (!reply.ok) throw new Error(`${reply.status} ${reply.statusText}`)
  const blob = await reply.blob()
  return new File([blob], name, { type: blob.type })
}

/** The bytes of a file as a `data:` address. */
export function toDataUrl(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error ?? new Error('the file cannot be read'))
    reader.readAsDataURL(file)
  })
}
