import type { BackendClient } from '@svc/backend-client'
import type { ToolFormatMarkers } from '@svc/reply-parser'
import type { ModelConfig } from '../../models/model-config.ts'

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
  /** The facts of the model behind a client, asked for once a load. Never fails: facts are a help, not a need. */
  read(
    client: BackendClient,
    options: { readonly model: ModelConfig; readonly signal: AbortSignal },
  ): Promise<ModelFacts>
}

const NO_FACTS: ModelFacts = { renderedTemplate: '', takesGrammarWithTools: false }
/** A backend that does not know the call may be slow to say so. */
const TIMEOUT_MS = 5000

/** A reader that has asked nobody. What it learned goes when the client does. */
export function createModelFactsReader(): ModelFactsReader {
  const known = new WeakMap<BackendClient, Promise<ModelFacts>>()
  return {
    read(client, { model, signal }) {
      if (!answersMetadata(model)) return Promise.resolve(NO_FACTS)
      const facts = known.get(client) ?? ask(client, model)
      known.set(client, facts)
      // Others may wait for the same answer: whoever leaves must not end it.
      return signal.aborted ? Promise.resolve(NO_FACTS) : facts
    },
  }
}

/** Only this family answers; others would log an error for each load. */
function answersMetadata({ backend }: ModelConfig): boolean {
  const name = backend.toLowerCase()
  if (name === '' || name === 'llama' || name === 'llama-cpp') return true
  return name.endsWith('-llama-cpp') && name !== 'ik-llama-cpp'
}

async function ask(client: BackendClient, model: ModelConfig): Promise<ModelFacts> {
  const [metadata, takesGrammarWithTools] = await Promise.all([askMetadata(client, model), askGrammar(client)])
  return { ...metadata, takesGrammarWithTools }
}

async function askMetadata(client: BackendClient, model: ModelConfig): Promise<ModelFacts> {
  try {
    const reply = await client.modelMetadata({ Model: model.parameters.model ?? '' }, { timeoutMs: TIMEOUT_MS })
    return {
      ...NO_FACTS,
      renderedTemplate: reply.renderedTemplate,
      markers: reply.toolFormat,
      mediaMarker: reply.mediaMarker === '' ? undefined : reply.mediaMarker,
    }
  } catch {
    return NO_FACTS
  }
}

/** Only backends of ours answer this. */
async function askGrammar(client: BackendClient): Promise<boolean> {
  try {
    return (await client.extensions.capabilities({}, { timeoutMs: TIMEOUT_MS })).grammar
  } catch {
    return false
  }
}
