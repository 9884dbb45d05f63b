import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { SvcError } from '@svc/errors'
import type { JsonNode, Splice } from '@svc/json'
import { createPassthroughBody } from '@svc/proxy'
import type { ModelRequest } from '../inference/core/pipeline.ts'
import { editFileNames, editTexts, type RequestDocument } from '../inference/documents/request-document.ts'
import { createByteBudget } from '../inference/media/byte-budget.ts'

/** The body of a request to a peer. */
export interface PeerBody {
  readonly bytes: Uint8Array
  readonly contentType: string | undefined
  /** Gives the memory back. */
  release(): void
}

/** Bytes of all forms on their way to peers. JSON bodies count as bodies of this server. */
const forms = createByteBudget(256 * 1024 * 1024)

/** Routes whose replies masked texts are put back in. */
const RESTORED: ReadonlySet<string> = new Set(['/v1/chat/completions', '/v1/messages'])

/**
 * The body of a request as the filter leaves it: JSON byte for byte but for the name of the model, a form written anew.
 *
 * @throws {SvcError} `unavailable` without memory for a form, `invalid_request` for a stream whose texts cannot be restored
 */
export async function createPeerBody({ request, filtered }: ModelRequest): Promise<PeerBody> {
  const { document, context } = request
  if (document.kind === 'form') return createForm(document, { request, filtered })
  const { splices, restoration } = filtered
  const { root } = document.texts()
  refuseOtherSpellings(root)
  const upstreamModel = request.model.name
  const named = root.get('model') === undefined ? [insertModel(root, upstreamModel)] : []
  const { bytes } = createPassthroughBody(document.texts(), { upstreamModel, splices: [...splices, ...named] })
  if (isStreamAsked(root, context.route.path) && restoration !== undefined && !RESTORED.has(context.route.path))
    throw new SvcError(
      'invalid_request',
      'texts that were masked cannot be put back in this stream: ask without stream',
      {
        code: 'route_not_served',
      },
    )
  return { bytes, contentType: undefined, release: () => undefined }
}

/** Routes that stream unless the client says otherwise. */
const STREAMING: ReadonlySet<string> = new Set(['/api/chat', '/api/generate'])

function isStreamAsked(root: JsonNode, path: string): boolean {
  const stream = root.get('stream')?.rawText()
  return STREAMING.has(path) ? stream !== 'false' : stream === 'true'
}

/** Some servers read keys in any case: the model that was checked here must be the only one that they find. */
function refuseOtherSpellings(root: JsonNode): void {
  if (root.kind !== 'object') return
  for (const { name } of root.entries()) {
    if (name !== 'model' && name.toLowerCase() === 'model')
      throw new SvcError('invalid_request', `"${name}" is not a field: the model is named by "model"`, {
        details: { param: name },
      })
  }
}

function insertModel({ start, length }: JsonNode, name: string): Splice {
  const member = `"model":${JSON.stringify(name)}${length > 0 ? ',' : ''}`
  return { start: start + 1, end: start + 1, replacement: Buffer.from(member) }
}

async function createForm(
  document: RequestDocument,
  { request, filtered }: Pick<ModelRequest, 'request' | 'filtered'>,
): Promise<PeerBody> {
  const { signal } = request.context
  const texts = await editTexts(document, filtered.splices, signal)
  const files = editFileNames(document, filtered)
  const size = texts.bytes.length + files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  if (!forms.take(size)) throw tooManyForms()
  const release = (): void => forms.give(size)
  try {
    const boundary = `svc-${randomBytes(18).toString('hex')}`
    const pieces: Uint8Array[] = []
    const part = (head: string, content: Uint8Array): void =>
      void pieces.push(Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`), content, CRLF)
    for (const [name, value] of Object.entries({ ...readFields(texts.bytes), model: request.model.name }))
      for (const text of [value].flat()) part(`name="${quote(name)}"`, Buffer.from(text))
    for (const { field, filename, mediaType, path } of files) {
      const type = mediaType === '' ? 'application/octet-stream' : mediaType
      part(
        `name="${quote(field)}"; filename="${quote(filename)}"\r\nContent-Type: ${type}`,
        await readFile(path, { signal }),
      )
    }
    pieces.push(Buffer.from(`--${boundary}--\r\n`))
    return { bytes: Buffer.concat(pieces), contentType: `multipart/form-data; boundary=${boundary}`, release }
  } catch (error) {
    release()
    throw error
  }
}

const CRLF = Buffer.from('\r\n')

/** The fields of a form: texts, or lists of texts. */
function readFields(bytes: Uint8Array): Readonly<Record<string, string | readonly string[]>> {
  return JSON.parse(Buffer.from(bytes).toString()) as Record<string, string | readonly string[]>
}

/** A name inside quotes of a header, as browsers write it. */
function quote(name: string): string {
  return name.replaceAll('"', '%22').replaceAll(/[\r\n]/g, (one) => (one === '\r' ? '%0D' : '%0A'))
}

function tooManyForms(): SvcError {
  return new SvcError('unavailable', 'too many forms are on their way to peers; retry shortly', {
    code: 'body_memory',
    retryAfterMs: 1000,
  })
}
