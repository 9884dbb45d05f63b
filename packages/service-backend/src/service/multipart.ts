import { randomUUID } from 'node:crypto'

/** A file in a form. */
export interface FormFile {
  readonly bytes: Uint8Array
  /** Its name without folders. */
  readonly name: string
  /** Its media type. @default application/octet-stream */
  readonly type?: string | undefined
}

/** One field of a form, in order; fields may repeat. */
export type FormField = readonly [name: string, value: string | number | boolean | FormFile]

/** A form as bytes. */
export interface EncodedForm {
  readonly contentType: string
  readonly body: Uint8Array
}

/** Encodes a form as `multipart/form-data` (RFC 7578). */
export function encodeForm(fields: readonly FormField[]): EncodedForm {
  const boundary = `svc-${randomUUID()}`
  const parts = fields.flatMap(([name, value]) => [...encodeField(name, value, boundary)])
  const body = Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)])
  return { contentType: `multipart/form-data; boundary=${boundary}`, body }
}

function* encodeField(name: string, value: FormField[1], boundary: string): Generator<Uint8Array> {
  const start = `--${boundary}\r\ncontent-disposition: form-data; name="${quote(name)}"`
  if (typeof value !== 'object') {
    yield Buffer.from(`${start}\r\n\r\n${String(value)}\r\n`)
    return
  }
  const { type = 'application/octet-stream' } = value
  yield Buffer.from(`${start}; filename="${quote(value.name)}"\r\ncontent-type: ${type}\r\n\r\n`)
  yield value.bytes
  yield Buffer.from('\r\n')
}

/** Escapes as browsers do: a name cannot end its quotes or its line. */
function quote(name: string): string {
  return name.replace(/\r?\n|\r/g, '%0D%0A').replace(/"/g, '%22')
}
