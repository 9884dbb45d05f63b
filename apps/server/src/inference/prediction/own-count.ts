import type { BackendClient, PartialMessage } from '@svc/backend-client'
import type { PredictOptions, Reply } from '@svc/backend-client/proto'
import type { Usage } from '../events.ts'

/** Counts the tokens of one choice when the backend's own counters are unreliable (`feature_flags.usage`). */
export interface OwnCount {
  reply(reply: Reply): void
  /**
   * Gives the figures of a finished choice, with the backend's times. Asks the backend to cut the texts into tokens.
   */
  usage(reported: Usage): Promise<Usage>
}

/**
 * Creates the count of one choice. A stream has one piece for each token; a whole answer is cut into tokens at the end.
 */
export function createOwnCount(
  options: PartialMessage<PredictOptions>,
  {
    client,
    signal,
    stream,
    countsPrompt,
  }: {
    readonly client: BackendClient
    readonly signal: AbortSignal
    readonly stream: boolean
    /** Whether the prompt counts too: once for all answers to it. */
    readonly countsPrompt: boolean
  },
): OwnCount {
  let pieces = 0
  const texts: Uint8Array[] = []
  const count = async (asked: PartialMessage<PredictOptions>): Promise<number> =>
    (await client.tokenizeString(asked, { signal })).length
  return {
    reply({ message }) {
      if (stream) pieces += message.length > 0 ? 1 : 0
      else texts.push(message)
    },
    async usage(reported) {
      const answer = Buffer.concat(texts).toString('utf8')
      const { ModelIdentity } = options
      return {
        ...reported,
        promptTokens: countsPrompt ? await count(options) : 0,
        completionTokens: stream || answer === '' ? pieces : await count({ Prompt: answer, ModelIdentity }),
      }
    },
  }
}
