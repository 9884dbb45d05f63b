import type { BackendClient } from '@svc/backend-client'
import { ChatSupport } from '@svc/backend-client/proto'
import { SvcError } from '@svc/errors'
import type { ToolFormatMarkers } from '@svc/reply-parser'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { MaybePromise } from '../../ports.ts'

/** Facts that a backend reports of its loaded model; each may be missing. */
export interface ModelFacts {
  /** A prompt written by the model's own template. Its end shows whether replies begin inside reasoning. */
  readonly renderedTemplate: string
  /** Markers with which the model writes tool calls. */
  readonly markers?: ToolFormatMarkers | undefined
  /** Placeholder of a medium in prompts. */
  readonly mediaMarker?: string | undefined
  /**
   * Whether a grammar may come together with tools. Other backends refuse that, or make a grammar of the tools
   * themselves.
   */
  readonly takesGrammarWithTools: boolean
  /** Whether prompts of the model's own template show declarations of tools. */
  readonly showsTools?: boolean | undefined
}

/** Facts of loaded models. */
export interface ModelFactsReader {
  /**
   * Gives the facts of the model behind a client, asked for once for each load. Facts are optional: a fact that the
   * backend does not report is left out. A backend that cannot answer now is asked again later.
   *
   * @throws the reason of the signal, as soon as it is aborted
   */
  read(
    client: BackendClient,
    options: { readonly model: ModelConfig; readonly signal: AbortSignal },
  ): MaybePromise<ModelFacts>
}

const NO_FACTS: ModelFacts = { renderedTemplate: '', takesGrammarWithTools: false }
/** A backend without this call may be slow to say so. */
const TIMEOUT_MS = 5000
/** Time until a backend that gave no answer is asked again. */
const RETRY_MS = 30_000

/** Facts of a client, with the time to ask again. */
interface Learned {
  readonly asked: Promise<ModelFacts>
  /** Set once the backend has answered. */
  facts: ModelFacts | undefined
  retryAt: number
}

/** Creates a reader. Facts are dropped together with their client. */
export function createModelFactsReader({ now = Date.now }: { readonly now?: () => number } = {}): ModelFactsReader {
  const known = new WeakMap<BackendClient, Learned>()

  function learn(client: BackendClient, model: ModelConfig): Learned {
    const learned: Learned = {
      asked: ask(client, model, () => (learned.retryAt = now() + RETRY_MS)).then((facts) => (learned.facts = facts)),
      facts: undefined,
      retryAt: Infinity,
    }
    known.set(client, learned)
    return learned
  }

  return {
    read(client, { model, signal }) {
      if (!answersMetadata(model)) return NO_FACTS
      const before = known.get(client)
      const { facts, asked } = before !== undefined && now() < before.retryAt ? before : learn(client, model)
      return facts !== undefined && !signal.aborted ? facts : whileWanted(asked, signal)
    },
  }
}

/** Several callers may wait for the same answer: an abort ends one wait at once and leaves the answer to the others. */
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
  const [metadata, abilities] = await Promise.all([
    askMetadata(client, model).catch(given(NO_FACTS)),
    askAbilities(client).catch(given({})),
  ])
  return { ...metadata, ...abilities }
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

const SHOWS_TOOLS: Readonly<Partial<Record<ChatSupport, boolean>>> = {
  [ChatSupport.CHAT_SUPPORT_WITHOUT_TOOLS]: false,
  [ChatSupport.CHAT_SUPPORT_WITH_TOOLS]: true,
}

/** Only our own backends answer this. */
async function askAbilities(client: BackendClient): Promise<Partial<ModelFacts>> {
  const { grammar, chat } = await client.extensions.capabilities({}, { timeoutMs: TIMEOUT_MS })
  return { takesGrammarWithTools: grammar, showsTools: SHOWS_TOOLS[chat] }
}
