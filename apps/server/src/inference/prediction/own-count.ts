import type { BackendClient, PartialMessage } from '@svc/backend-client'
import type { PredictOptions, Reply } from '@svc/backend-client/proto'
import type { Usage } from '../events.ts'

/** Counts the tokens of one choice where the backend's own counters are not to be believed (`feature_flags.usage`). */
export interface OwnCount {
  reply(reply: Reply): void
  /** The figures of a finished choice: times are the backend's. Asks the backend to cut the texts into tokens. */
  usage(reported: Usage): Promise<Usage>
}

/** A count of what `options` ask for. A stream has a piece a token; a whole answer is cut into tokens at the end. */
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
    /** Whether the prompt is to be counted too: once is enough for all of its answers. */
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
