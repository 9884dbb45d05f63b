import { type Attachment, createId } from './types.ts'

/** Largest request body that the server accepts by default, in bytes. */
export const MAX_BODY_BYTES = 15_000_000
/** The long side of a picture as models look at it, in pixels. */
const MAX_SIDE = 1568
const TEXT_TYPES = /^(text\/|application\/(json|xml|yaml|x-yaml|javascript|x-sh|x-httpd-php|sql|toml|x-ndjson))/
const TEXT_NAMES =
  /\.(txt|md|markdown|csv|tsv|json|jsonl|ya?ml|toml|ini|conf|log|xml|html?|css|[cm]?[jt]sx?|py|rb|rs|go|java|kt|swift|c|h|cc|cpp|hpp|cs|php|pl|lua|r|sh|bash|zsh|fish|ps1|sql|proto|diff|patch|env|dockerfile|makefile|tex|svg)$/i

/** The reason why a file cannot be attached to a message. */
export interface RefusedFile {
  readonly name: string
  readonly reason: 'kind' | 'size' | 'unreadable'
  /** The kind that the model lacks, such as `image`. */
  readonly kind?: string
}

/** The kind of a file; undefined where no model takes it. */
export function findKind({ type, name }: Pick<File, 'type' | 'name'>): Attachment['kind'] | undefined {
  if (TEXT_TYPES.test(type) || TEXT_NAMES.test(name)) return 'text'
  const [family] = type.split('/')
  return family === 'image' || family === 'audio' || family === 'video' ? family : undefined
}

/**
 * Reads files for a message: text as text, pictures no larger than models look at them, the rest as it is.
 *
 * @param inputs kinds that the model takes besides text
 * @param takenBytes size of the files that the message has already
 */
export async function readAttachments(
  files: Iterable<File>,
  inputs: ReadonlySet<string>,
  takenBytes: number,
): Promise<{ readonly attachments: readonly Attachment[]; readonly refused: readonly RefusedFile[] }> {
  const attachments: Attachment[] = []
  const refused: RefusedFile[] = []
  let total = takenBytes
  for (const file of files) {
    const kind = findKind(file)
    if (kind === undefined || (kind !== 'text' && !inputs.has(kind))) {
      refused.push({ name: file.name, reason: 'kind', kind: kind ?? (file.type || 'unknown') })
      continue
    }
    const attachment = await readFile(file, kind).catch(() => undefined)
    if (attachment === undefined) refused.push({ name: file.name, reason: 'unreadable' })
    else if (total + attachment.data.length > MAX_BODY_BYTES) refused.push({ name: file.name, reason: 'size' })
    else {
      total += attachment.data.length
      attachments.push(attachment)
    }
  }
  return { attachments, refused }
}

async function readFile(file: File, kind: Attachment['kind']): Promise<Attachment | undefined> {
  // even a picture that will be shrunk has to be decoded in memory first
  if (file.size > 4 * MAX_BODY_BYTES) return undefined
  const blob = kind === 'image' ? await shrinkPicture(file) : file
  const data = kind === 'text' ? await readText(file) : await readDataUrl(blob)
  if (data === undefined) return undefined
  return { id: createId(), kind, name: file.name, type: blob.type || 'text/plain', bytes: blob.size, data }
}

/** The text of a file; undefined if its bytes are not text. */
async function readText(file: File): Promise<string | undefined> {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer())
  return text.includes('\0') ? undefined : text
}

function readDataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error ?? new Error('the file cannot be read'))
    reader.readAsDataURL(blob)
  })
}

/** A picture whose long side is at most {@link MAX_SIDE} pixels; small ones stay as they are. */
async function shrinkPicture(file: File): Promise<Blob> {
  const bitmap = await createImageBitmap(file)
  try {
    const scale = Math.min(1, MAX_SIDE / Math.max(bitmap.width, bitmap.height))
    const isKnown = file.type === 'image/png' || file.type === 'image/jpeg'
    if (scale === 1 && isKnown) return file
    const canvas = document.createElement('canvas')
    canvas.width = Math.round(bitmap.width * scale)
    canvas.height = Math.round(bitmap.height * scale)
    canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
    const type = file.type === 'image/jpeg' ? 'image/jpeg' : 'image/png'
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob === null ? reject(new Error('no picture')) : resolve(blob)), type, 0.9),
    )
  } finally {
    bitmap.close()
  }
}
