import type { BackendClient, PartialMessage } from '@svc/backend-client'
import type { PredictOptions, Reply } from '@svc/backend-client/proto'
import type { Usage } from '../core/events.ts'

/** Counts the tokens of one choice when the backend's own counters are unreliable (`feature_flags.usage`). */
export interface OwnCount {
  reply(reply: Reply): void
  /** Gives the figures of a choice, with the backend's times. Asks the backend to cut the texts into tokens. */
  usage(reported: Usage, options: { readonly signal: AbortSignal }): Promise<Usage>
}

/** The tokens of the prompt of a choice, as its backend cuts it. */
export async function countPrompt(
  options: PartialMessage<PredictOptions>,
  { client, signal }: { readonly client: BackendClient; readonly signal: AbortSignal },
): Promise<number> {
  return (await client.tokenizeString(options, { signal })).length
}

/**
 * Creates the count of one choice. A stream has one piece for each token; a whole answer is cut into tokens at the end.
 */
export function createOwnCount(
  options: PartialMessage<PredictOptions>,
  {
    client,
    stream,
    countsPrompt,
  }: {
    readonly client: BackendClient
    readonly stream: boolean
    /** Whether the prompt counts too: once for all answers to it. */
    readonly countsPrompt: boolean
  },
): OwnCount {
  let pieces = 0
  const texts: Uint8Array[] = []
  return {
    reply({ message }) {
      if (stream) pieces += message.length > 0 ? 1 : 0
      else texts.push(message)
    },
    async usage(reported, { signal }) {
      const answer = Buffer.concat(texts).toString('utf8')
      const { ModelIdentity } = options
      return {
        ...reported,
        promptTokens: countsPrompt ? await countPrompt(options, { client, signal }) : 0,
        completionTokens:
          stream || answer === '' ? pieces : await countPrompt({ Prompt: answer, ModelIdentity }, { client, signal }),
      }
    },
  }
}
