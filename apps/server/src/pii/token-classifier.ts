import type { BackendClient } from '@svc/backend-client'
import type { TokenClassifier } from '@svc/pii'
import type { ModelConfig } from '../catalog/model-config.ts'
import type { Residency } from '../residency/residency.ts'

/** A backend that does not know the question may be slow to say so. */
const ASK_MS = 5000

/** A detector model on its backend: loaded on first use, busy while a text is looked at. */
export function createTokenClassifier(model: ModelConfig, residency: Pick<Residency, 'acquire'>): TokenClassifier {
  let told: number | undefined

  async function use<T>(signal: AbortSignal, call: (client: BackendClient) => Promise<T>): Promise<T> {
    const lease = await residency.acquire(model, { signal })
    try {
      return await call(lease.client)
    } finally {
      lease.release()
    }
  }

  return {
    classify: (text, { minScore, signal }) =>
      use(signal, async (client) => {
        const { entities } = await client.tokenClassify({ text, threshold: minScore }, { signal })
        return entities.map(({ start, end, entityGroup, score }) => ({ start, end, group: entityGroup, score }))
      }),
    async contextSize({ signal }) {
      told ??= await use(signal, (client) => askContextSize(client, signal))
      const known = [told, model.gguf?.contextLength ?? 0, writtenContextSize(model)].filter((tokens) => tokens > 0)
      return known.length === 0 ? undefined : Math.min(...known)
    },
  }
}

/** What the backend has loaded the model with; 0 where it does not say. Only backends of ours answer this. */
async function askContextSize(client: BackendClient, signal: AbortSignal): Promise<number> {
  try {
    return (await client.extensions.capabilities({}, { signal, timeoutMs: ASK_MS })).contextSize
  } catch {
    signal.throwIfAborted()
    return 0
  }
}

/** What the model's file says, and no default: that says nothing of the model. */
function writtenContextSize({ raw }: ModelConfig): number {
  const { context_size: written } = raw
  return typeof written === 'number' ? written : 0
}

/** Resolves once the model of a detector is loaded. @throws what a load fails with */
export async function loadClassifier(
  model: ModelConfig,
  residency: Pick<Residency, 'acquire'>,
  { signal }: { readonly signal: AbortSignal },
): Promise<void> {
  const lease = await residency.acquire(model, { signal })
  lease.release()
}
