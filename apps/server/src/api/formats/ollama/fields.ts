import { toKeepAliveMs } from './keep-alive.ts'

/** Fields that only this format has. */
export interface GenerationFields {
  /** Milliseconds for which the model stays after the request; undefined: as the server's settings say. */
  readonly keepAliveMs: number | undefined
  /** Monotonic milliseconds at which the request was read. */
  readonly startedAt: number
  /** Set for a request that only loads or unloads the model. */
  readonly only?: 'load' | 'unload' | undefined
  /** Number of alternatives for each token. */
  readonly alternatives: number
  readonly stream: boolean
}

/** Fields that `chat` and `generate` share. */
interface SharedFields {
  readonly keep_alive?: Parameters<typeof toKeepAliveMs>[0]
  readonly top_logprobs?: number | null | undefined
  readonly stream?: boolean | null | undefined
}

/**
 * Reads the fields of this format from a body. Replies stream by default.
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
