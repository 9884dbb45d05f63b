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
 * Sends a GGUF file of this computer to the server in pieces, and makes a model of it. A piece that gets no reply is sent
 * again; a file that fails or is given up leaves nothing on the server.
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
      await sendPiece(id, offset, piece, { signal, pausesMs })
      onProgress(offset + piece.size)
    }
    return (await unwrap(api.POST('/api/models/uploads/{id}/finish', { params: { path: { id } }, signal }))).name
  } catch (error) {
    // a rest on the server ends by itself after a while, if the server cannot be reached
    void api.DELETE('/api/models/uploads/{id}', { params: { path: { id } } }).catch(() => undefined)
    throw error
  }
}

async function sendPiece(
  id: string,
  offset: number,
  piece: Blob,
  { signal, pausesMs }: { readonly signal: AbortSignal; readonly pausesMs: readonly number[] },
): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const response = await send(toUrl(`api/models/uploads/${id}?offset=${offset}`), {
        method: 'PUT',
        headers: { 'content-type': 'application/octet-stream' },
        body: piece,
        signal,
      })
      if (response.ok) return
      throw readFailure(response, await response.json().catch(() => undefined))
    } catch (error) {
      const pause = pausesMs[attempt]
      const canPass = error instanceof ApiError && [0, 429, 502, 503, 504].includes(error.status)
      if (!canPass || pause === undefined) throw error
      await wait(Math.max(pause, error.retryAfterMs ?? 0), signal)
      signal.throwIfAborted()
    }
  }
}
