import type { BackendClient } from '@svc/backend-client'
import { SvcError } from '@svc/errors'
import type { ToolFormatMarkers } from '@svc/reply-parser'
import type { ModelConfig } from '../../catalog/model-config.ts'

/** What a backend says of the model it has loaded; all of it may be missing. */
export interface ModelFacts {
  /** What a prompt of the model's own template looks like; its end tells whether replies begin inside reasoning. */
  readonly renderedTemplate: string
  /** How the model writes tool calls. */
  readonly markers?: ToolFormatMarkers | undefined
  /** What stands for a medium in prompts. */
  readonly mediaMarker?: string | undefined
  /** Whether a grammar may come together with tools. Others refuse that, or make their own of the tools. */
  readonly takesGrammarWithTools: boolean
}

/** The facts of loaded models. */
export interface ModelFactsReader {
  /**
   * The facts of the model behind a client, asked for once a load. What a backend does not answer is left out: facts are
   * a help, not a need. One that cannot answer now is asked again later.
   *
   * @throws the reason of the signal, as soon as it is aborted
   */
  read(
    client: BackendClient,
    options: { readonly model: ModelConfig; readonly signal: AbortSignal },
  ): Promise<ModelFacts>
}

const NO_FACTS: ModelFacts = { renderedTemplate: '', takesGrammarWithTools: false }
/** A backend that does not know the call may be slow to say so. */
const TIMEOUT_MS = 5000
/** Until a backend is asked again that gave no answer at all. */
const RETRY_MS = 30_000

/** What was learned of a client, and when to ask again. */
interface Learned {
  readonly facts: Promise<ModelFacts>
  retryAt: number
}

/** A reader that has asked nobody. What it learned goes when the client does. */
export function createModelFactsReader({ now = Date.now }: { readonly now?: () => number } = {}): ModelFactsReader {
  const known = new WeakMap<BackendClient, Learned>()

  function learn(client: BackendClient, model: ModelConfig): Learned {
    const learned: Learned = {
      facts: ask(client, model, () => (learned.retryAt = now() + RETRY_MS)),
      retryAt: Infinity,
    }
    known.set(client, learned)
    return learned
  }

  return {
    read(client, { model, signal }) {
      if (!answersMetadata(model)) return Promise.resolve(NO_FACTS)
      const before = known.get(client)
      const { facts } = before !== undefined && now() < before.retryAt ? before : learn(client, model)
      return whileWanted(facts, signal)
    },
  }
}

/** Others may wait for the same answer: whoever leaves goes at once and does not end it. */
function whileWanted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason)
    if (signal.aborted) return leave()
    signal.addEventListener('abort', leave, { once: true })
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}

/** Only this family answers; others would log an error for each load. */
function answersMetadata({ backend }: ModelConfig): boolean {
  const name = backend.toLowerCase()
  if (name === '' || name === 'llama' || name === 'llama-cpp') return true
  return name.endsWith('-llama-cpp') && name !== 'ik-llama-cpp'
}

async function ask(client: BackendClient, model: ModelConfig, onSilence: () => void): Promise<ModelFacts> {
  const given = <T>(otherwise: T) => {
    return (error: unknown): T => {
      if (!SvcError.is(error) || error.kind !== 'not_implemented') onSilence()
      return otherwise
    }
  }
  const [metadata, takesGrammarWithTools] = await Promise.all([
    askMetadata(client, model).catch(given(NO_FACTS)),
    askGrammar(client).catch(given(false)),
  ])
  return { ...metadata, takesGrammarWithTools }
}

async function askMetadata(client: BackendClient, model: ModelConfig): Promise<ModelFacts> {
  const reply = await client.modelMetadata({ Model: model.parameters.model ?? '' }, { timeoutMs: TIMEOUT_MS })
  return {
    ...NO_FACTS,
    renderedTemplate: reply.renderedTemplate,
    markers: reply.toolFormat,
    mediaMarker: reply.mediaMarker === '' ? undefined : reply.mediaMarker,
  }
}

/** Only backends of ours answer this. */
async function askGrammar(client: BackendClient): Promise<boolean> {
  return (await client.extensions.capabilities({}, { timeoutMs: TIMEOUT_MS })).grammar
}
