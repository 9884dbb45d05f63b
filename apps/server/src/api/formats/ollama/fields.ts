import { toKeepAliveMs } from './keep-alive.ts'

/** The fields that only this format has. */
export interface GenerationFields {
  /** How long the model stays after the request, milliseconds; undefined: as the server's settings say. */
  readonly keepAliveMs: number | undefined
  /** Monotonic milliseconds at which the request was read. */
  readonly startedAt: number
  /** Set for a request that only loads the model, or unloads it. */
  readonly only?: 'load' | 'unload' | undefined
  /** The number of alternatives beside each token. */
  readonly alternatives: number
  readonly stream: boolean
}

/** The fields that `chat` and `generate` share. */
interface SharedFields {
  readonly keep_alive?: Parameters<typeof toKeepAliveMs>[0]
  readonly top_logprobs?: number | null | undefined
  readonly stream?: boolean | null | undefined
}

/**
 * Reads the fields of this format from a body. It streams unless told otherwise.
 *
 * @param isEmpty whether the body asks the model nothing
 */
export function toFields(body: SharedFields, startedAt: number, isEmpty: boolean): GenerationFields {
  const keepAliveMs = toKeepAliveMs(body.keep_alive)
  return {
    startedAt,
    keepAliveMs,
    only: isEmpty ? (keepAliveMs === 0 ? 'unload' : 'load') : undefined,
    alternatives: body.top_logprobs ?? 0,
    stream: body.stream ?? true,
  }
}
