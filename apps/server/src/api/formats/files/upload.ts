import { type FileForm, fileForm } from '@svc/wire/openai'
import type { Documents } from '../../../document-stores/documents.ts'
import type { Call } from '../../../http/call.ts'
import type { FormReader } from '../../../http/forms/form-reader.ts'
import type { FormRules } from '../../../inference/documents/form.ts'
import { readBody } from '../../../inference/documents/read-body.ts'
import { unparsable } from '../../../inference/documents/unparsable.ts'
import type { StoredFile } from '../../../stored-files/stored-file.ts'

const RULES: FormRules = { files: { file: {} } }
const MAX_NAME_BYTES = 1024
const NOT_IN_NAME = /\p{Cc}|\p{Surrogate}/gu
const [LEAST_SECONDS, MOST_SECONDS] = [3600, 2_592_000]

/**
 * Receives a file. A form that breaks off leaves nothing.
 *
 * @throws {SvcError} `invalid_request`, `too_large`, `insufficient_storage`
 */
export async function receiveUpload(
  call: Call,
  forms: Pick<FormReader, 'read'>,
  open: () => Promise<Documents>,
): Promise<StoredFile> {
  const form = await forms.read(call, RULES)
  try {
    const fields = await readBody(fileForm, form.texts, call.signal)
    const [file] = form.files
    if (file === undefined) throw unparsable('file: Required', 'file')
    if (file.sizeBytes === 0) throw unparsable('file: must not be empty', 'file')
    const filename = readName(file.filename)
    const expiresAfterMs = readExpiry(fields)
    const { uploads } = await open()
    // The client may have taken long for the bytes.
    await call.confirm()
    call.signal.throwIfAborted()
    const { path, sizeBytes } = file
    return await uploads.keep(path, {
      owner: call.principal.id,
      filename,
      purpose: fields.purpose,
      sizeBytes,
      expiresAfterMs,
    })
  } finally {
    form.release()
  }
}

function readName(name: string): string {
  const clean = name.replaceAll(NOT_IN_NAME, '_')
  if (Buffer.byteLength(clean) > MAX_NAME_BYTES) {
    throw unparsable(`file: its name has more than ${MAX_NAME_BYTES} bytes`, 'file')
  }
  return clean === '' ? 'file' : clean
}

function readExpiry(fields: FileForm): number | undefined {
  const { 'expires_after[seconds]': text, 'expires_after[anchor]': anchor } = fields
  if (text == null && anchor == null) return undefined
  const seconds = /^\d{1,9}$/u.test(text ?? '') ? Number(text) : Number.NaN
  if (seconds >= LEAST_SECONDS && seconds <= MOST_SECONDS) return seconds * 1000
  const field = 'expires_after[seconds]'
  throw unparsable(`${field}: must be a whole number from ${LEAST_SECONDS} to ${MOST_SECONDS}`, field)
}
