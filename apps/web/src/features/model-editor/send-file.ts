import { api, send, unwrap } from '../../lib/api-client.ts'
import { ApiError, readFailure } from '../../lib/api-error.ts'
import { toUrl } from '../../lib/base-path.ts'
import { wait } from '../../lib/chat/wait.ts'

/** Pauses before a piece is sent again, milliseconds. */
const PAUSES_MS = [1_000, 2_000, 5_000, 10_000, 10_000, 10_000]

/** Options of sending a file. */
export interface SendOptions {
  /** Of the model; empty for the name of the file. */
  readonly name: string
  readonly signal: AbortSignal
  readonly onProgress: (sentBytes: number) => void
  /** @default the pauses of a person's patience */
  readonly pausesMs?: readonly number[]
}

/**
 * Sends a GGUF file of this computer to the server in pieces, and makes a model of it. What gets no reply is asked for
 * again. A file that is refused or given up leaves nothing on the server; one that only got no reply ends there by itself,
 * because the server may still make a model of it.
 *
 * @returns the name of the model
 * @throws ApiError with the reason of the server; the reason of the signal
 */
export async function sendModelFile(file: File, options: SendOptions): Promise<string> {
  const { name, signal, onProgress, pausesMs = PAUSES_MS } = options
  const begun = await unwrap(
    api.POST('/api/models/uploads', { body: { filename: file.name, name, size_bytes: file.size }, signal }),
  )
  const { id, piece_bytes: pieceBytes } = begun
  try {
    for (let offset = 0; offset < file.size; offset += pieceBytes) {
      const piece = file.slice(offset, offset + pieceBytes)
      await patiently(() => sendPiece(id, offset, piece, signal), { signal, pausesMs })
      onProgress(offset + piece.size)
    }
    return await patiently(() => finish(id, signal), { signal, pausesMs })
  } catch (error) {
    if (canPass(error) && !signal.aborted) throw error
    void api.DELETE('/api/models/uploads/{id}', { params: { path: { id } } }).catch(() => undefined)
    throw error
  }
}

async function sendPiece(id: string, offset: number, piece: Blob, signal: AbortSignal): Promise<void> {
  const response = await send(toUrl(`api/models/uploads/${id}?offset=${offset}`), {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream' },
    body: piece,
    signal,
  })
  if (!response.ok) throw readFailure(response, await response.json().catch(() => undefined))
}

async function finish(id: string, signal: AbortSignal): Promise<string> {
  return (await unwrap(api.POST('/api/models/uploads/{id}/finish', { params: { path: { id } }, signal }))).name
}

/** Whether a failure may pass: the server was not reached, or is busy. */
function canPass(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false
  return [0, 429, 502, 503, 504].includes(error.status) || error.code === 'upload_busy'
}

/** Does something again after a failure that may pass. */
async function patiently<Result>(
  step: () => Promise<Result>,
  { signal, pausesMs }: { readonly signal: AbortSignal; readonly pausesMs: readonly number[] },
): Promise<Result> {
  let missed: ApiError | undefined
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await step()
    } catch (error) {
      // An upload that is gone after a reply that was lost has most likely become a model.
      if (missed !== undefined && error instanceof ApiError && error.status === 404) throw missed
      const pause = pausesMs[attempt]
      if (!canPass(error) || pause === undefined) throw error
      missed = error
      await wait(Math.max(pause, error.retryAfterMs ?? 0), signal)
      signal.throwIfAborted()
    }
  }
}
